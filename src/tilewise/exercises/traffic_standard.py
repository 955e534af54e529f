"""What standard attention moves between HBM and the chip."""


# --8<-- [start:solution]
def traffic_standard(n_q, n_k, d):
    """Elements read and written by standard attention's forward pass, in all.

    S = τ Q Kᵀ, P = softmax(S), O = P V: three steps, each reads its input from HBM and
    writes its result there, once. Q and O are N_q × d, K and V are N_k × d.
    """
    q, k, s = n_q * d, n_k * d, n_q * n_k
    scores = q + k + s  # read Q and K, write S
    softmax = s + s  # read S, write P
    output = s + k + q  # read P and V, write O
    return scores + softmax + output
    # --8<-- [end:solution]


SOLUTION = traffic_standard
WRONG = """
only_matrices_that_last: Q, K, V, O: as if S and P never left the chip.
  n_q * n_k → 0
written_not_read: S and P are written, and nobody reads them.
  = s + s → = s
  = s + k + q → = k + q
square: 4 N² + 4 N d with N = N_q: as if there were as many keys.
  n_k * d, n_q * n_k → n_q * d, n_q * n_q
reads_alone: What is written is forgotten.
  = q + k + s → = q + k
  = s + s → = s
  = s + k + q → = s + k
"""
TOLERANCE = 0


def cases():
    yield "one", [1, 1, 1], 8
    yield "example", [4, 4, 2], 96
    yield "square", [1024, 1024, 64], walked(1024, 1024, 64)
    for sizes in ([1, 4096, 128], [7, 13, 5], [512, 256, 64]):
        yield "two", sizes, walked(*sizes)


def walked(n_q, n_k, d):
    """Every matrix that a step touches, by its rows and columns."""
    matrices = {"q": (n_q, d), "k": (n_k, d), "v": (n_k, d), "o": (n_q, d)}
    matrices = matrices | {"s": (n_q, n_k), "p": (n_q, n_k)}
    total = 0
    for step in ("qks", "sp", "pvo"):
        for name in step:
            rows, columns = matrices[name]
            total += rows * columns
    return total
