"""What standard attention moves between HBM and the chip."""


# --8<-- [start:solution]
def traffic_standard(n_q, n_k, d):
    """Elements read and written by standard attention's forward pass, in all.

    S = Q Kᵀ, P = softmax(S), O = P V: three steps, each reads its input from HBM and
    writes its result there, once. Q and O are N_q × d, K and V are N_k × d.
    """
    q, k, s = n_q * d, n_k * d, n_q * n_k
    scores = q + k + s  # read Q and K, write S
    softmax = s + s  # read S, write P
    output = s + k + q  # read P and V, write O
    return scores + softmax + output
    # --8<-- [end:solution]


def only_matrices_that_last(n_q, n_k, d):
    """Q, K, V, O: as if S and P never left the chip."""
    return 2 * n_q * d + 2 * n_k * d


def written_not_read(n_q, n_k, d):
    """S and P are written, and nobody reads them."""
    return 2 * n_q * d + 2 * n_k * d + 2 * n_q * n_k


def square(n_q, n_k, d):
    """4 N² + 4 N d with N = N_q: as if there were as many keys."""
    return 4 * n_q * n_q + 4 * n_q * d


def reads_alone(n_q, n_k, d):
    """What is written is forgotten."""
    return n_q * d + 2 * n_k * d + 2 * n_q * n_k


SOLUTION = traffic_standard
WRONG = (only_matrices_that_last, written_not_read, square, reads_alone)
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
