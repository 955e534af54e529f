"""What attention costs, counted exactly: elements moved, FLOPs, on-chip elements.

One head, Q of N × d, K and V of N_k × d (n_k=None is N), no cache: whatever an
algorithm's line loads is a read from HBM, whatever it stores is a write. A count is a
dict:

reads, writes  elements that cross between HBM and the chip
flops          matrix products only, 2·m·n·k for (m × k) by (k × n); the exponentials,
               maxima, sums and rescalings, O(N²) in all, are not counted
sram           elements that must be on chip at once for these reads and writes: the
               tiles and ℓ, m; a step's own few numbers a row are left to registers

causal as in tilewise.flash1: row r sees keys 0 .. r + N_k − N (True), or 0 .. r
("top-left"). Tiles in which no row sees a key are skipped, neither loaded nor computed.
A layer counts batch × heads as many, sram aside, with grouped heads too: each query
head asks for its K and V itself. Where g query heads share one load, their rows are one
head's of g·N. The backward passes are in tilewise.ledger_backward.
Raises ValueError where a size is not a whole number of at least 1, or causal unknown.
Source: Algorithms 0 and 1 of FlashAttention, arXiv 2205.14135, and Algorithm 1 of
FlashAttention-2, arXiv 2307.08691. tests/test_ledger_counts.py counts a real run.
"""

from tilewise.tiles import visits


# --8<-- [start:sizes]
def check(**sizes):
    """Raise ValueError naming the size that is not a whole number of at least 1."""
    for name, size in sorted(sizes.items()):
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {size}")


def ceil_div(a, b):
    """⌈a / b⌉."""
    return -(-a // b)


def keys(n, n_k, causal):
    """N_k, which is N unless told; raises ValueError for an unknown causal."""
    if causal not in (False, True, "top-left"):
        raise ValueError(f"causal must be False, True or 'top-left', not {causal!r}")
    return n if n_k is None else n_k
    # --8<-- [end:sizes]


# --8<-- [start:block_sizes]
def block_sizes(sram, d):
    """(B_r, B_c) of Algorithm 1, line 1: B_c = ⌈M/4d⌉, B_r = min(⌈M/4d⌉, d).

    M = sram is the on-chip memory in elements, not bytes.
    """
    check(sram=sram, d=d)
    block_cols = ceil_div(sram, 4 * d)
    return min(block_cols, d), block_cols
    # --8<-- [end:block_sizes]


# --8<-- [start:standard_forward]
def standard_forward(n, d, *, n_k=None, causal=False):
    """Algorithm 0: S and P go out to HBM and come back, 4N² + 4Nd elements in all.

    To read each matrix only once, a product keeps K or V on chip, with one row of Q or
    O and one number: N_k·d + d + 1. causal changes nothing: a mask hides scores that
    were computed.
    """
    n_k = keys(n, n_k, causal)
    check(n=n, d=d, n_k=n_k)
    s = n * n_k
    return {
        "reads": (n * d + n_k * d) + s + (s + n_k * d),  # line 1: Q, K; 2: S; 3: P, V
        "writes": s + s + n * d,  # line 1: S; line 2: P; line 3: O
        "flops": 2 * s * d + 2 * s * d,  # Q Kᵀ; P V
        "sram": n_k * d + d + 1,
    }
    # --8<-- [end:standard_forward]


# --8<-- [start:flash1_forward]
def tile_sram(n, d, block_rows, block_cols, n_k=None):
    """Q_i, O_i, K_j, V_j, S_ij (P̃_ij takes its place), ℓ_i and m_i, together."""
    rows, cols = min(block_rows, n), min(block_cols, keys(n, n_k, False))
    return 2 * rows * d + 2 * cols * d + rows * cols + 2 * rows


def flash1_forward(n, d, block_rows, block_cols, *, n_k=None, causal=False):
    """Algorithm 1, K and V outside: Q, O, ℓ and m cross once for each of T_c blocks.

    Line 2 writes O, ℓ and m once before that. B_r does not change the traffic,
    unless tiles are skipped.
    """
    n_k = keys(n, n_k, causal)
    check(n=n, d=d, n_k=n_k, block_rows=block_rows, block_cols=block_cols)
    rows, _, scores = visits(n, n_k, block_rows, block_cols, causal)
    state = d + 2  # of a row: O, ℓ, m
    return {
        "reads": 2 * n_k * d + rows * (d + state),  # line 6: K, V; line 8: Q and state
        "writes": n * state + rows * state,  # line 2; lines 12 and 13
        "flops": 4 * scores * d,
        "sram": tile_sram(n, d, block_rows, block_cols, n_k),
    }
    # --8<-- [end:flash1_forward]


# --8<-- [start:flash2_forward]
def flash2_forward(n, d, block_rows, block_cols, *, n_k=None, causal=False):
    """FlashAttention-2, Q outside: K and V cross once for each of T_r blocks.

    O and L, one number a row, are written once. B_c does not change the traffic,
    unless tiles are skipped.
    """
    n_k = keys(n, n_k, causal)
    check(n=n, d=d, n_k=n_k, block_rows=block_rows, block_cols=block_cols)
    _, cols, scores = visits(n, n_k, block_rows, block_cols, causal)
    return {
        "reads": n * d + cols * 2 * d,  # line 4: Q; line 7: K and V
        "writes": n * d + n,  # line 14: O; line 15: L
        "flops": 4 * scores * d,
        "sram": tile_sram(n, d, block_rows, block_cols, n_k),
    }
    # --8<-- [end:flash2_forward]


# --8<-- [start:bytes]
DTYPES = {"fp64": 8, "fp32": 4, "bf16": 2, "fp16": 2}


def in_bytes(elements, dtype):
    """The bytes of a number of elements, all of one dtype: fp64, fp32, bf16, fp16."""
    if dtype not in DTYPES:
        raise ValueError(
            f"dtype must be one of {', '.join(sorted(DTYPES))}, not {dtype!r}"
        )
    return elements * DTYPES[dtype]
    # --8<-- [end:bytes]


# --8<-- [start:backward]
def standard_backward(n, d, **how):
    """Algorithm 3: tilewise.ledger_backward.standard_backward."""
    from tilewise import ledger_backward  # it stands on this module

    return ledger_backward.standard_backward(n, d, **how)


def flash1_backward(n, d, block_rows, block_cols, **how):
    """Algorithm 4: tilewise.ledger_backward.flash1_backward."""
    from tilewise import ledger_backward

    return ledger_backward.flash1_backward(n, d, block_rows, block_cols, **how)


def flash2_backward(n, d, block_rows, block_cols, **how):
    """FlashAttention-2's: tilewise.ledger_backward.flash2_backward."""
    from tilewise import ledger_backward

    return ledger_backward.flash2_backward(n, d, block_rows, block_cols, **how)


def saved(n, d, **how):
    """What stays for the backward pass: tilewise.ledger_backward.saved."""
    from tilewise import ledger_backward

    return ledger_backward.saved(n, d, **how)
    # --8<-- [end:backward]
