"""What attention costs, counted exactly: elements moved, FLOPs, on-chip elements.

One head, N × d matrices, no cache: whatever an algorithm's line loads is a read from
HBM, whatever it stores is a write. Each count is a dict:

reads, writes  elements that cross between HBM and the chip
flops          matrix products only, 2·m·n·k for (m × k) by (k × n); the exponentials,
               maxima, sums and rescalings, O(N²) in all, are not counted
sram           elements that must be on chip at once for these reads and writes: the
               tiles and ℓ, m; a step's own few numbers a row are left to registers

causal=True: row r sees keys 0 .. r, and tiles in which no row sees a key are skipped,
neither loaded nor computed. The backward passes are in tilewise.ledger_backward.
Raises ValueError where a size is not a whole number of at least 1.
Source: Algorithms 0 and 1 of FlashAttention, arXiv 2205.14135.
"""


# --8<-- [start:sizes]
def check(**sizes):
    """Raise ValueError naming the size that is not a whole number of at least 1."""
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {size}")


def ceil_div(a, b):
    """⌈a / b⌉."""
    return -(-a // b)
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
def standard_forward(n, d):
    """Algorithm 0: S and P go out to HBM and come back, 4N² + 4Nd elements in all.

    To read each matrix only once, a product keeps its right side on chip, with one
    row of its left side and one number: N·d + d + 1.
    """
    check(n=n, d=d)
    return {
        "reads": 2 * n * d + n * n + n * n + n * d,  # Q, K; S; P; V
        "writes": n * n + n * n + n * d,  # S; P; O
        "flops": 2 * n * n * d + 2 * n * n * d,  # Q Kᵀ; P V
        "sram": n * d + d + 1,
    }
    # --8<-- [end:standard_forward]


# --8<-- [start:flash1_forward]
def tile_sram(n, d, block_rows, block_cols):
    """Q_i, O_i, K_j, V_j, S_ij (P̃_ij takes its place), ℓ_i and m_i, together."""
    rows, cols = min(block_rows, n), min(block_cols, n)
    return 2 * rows * d + 2 * cols * d + rows * cols + 2 * rows


def visits(n, block_rows, block_cols, causal=False):
    """(rows, columns, scores) of all tiles that are visited, added up.

    Without a mask each of N rows is visited T_c times and each column T_r times.
    """
    rows = cols = scores = 0
    for first in range(0, n, block_rows):
        end = min(first + block_rows, n)
        t_c = ceil_div(end if causal else n, block_cols)
        seen = min(t_c * block_cols, n)  # columns in the tiles that this block visits
        rows += (end - first) * t_c
        cols += seen
        scores += (end - first) * seen
    return rows, cols, scores


def flash1_forward(n, d, block_rows, block_cols, *, causal=False):
    """Algorithm 1, K and V outside: Q, O, ℓ and m cross once for each of T_c blocks.

    Line 2 writes O, ℓ and m once before that. B_r does not change the traffic,
    unless tiles are skipped.
    """
    check(n=n, d=d, block_rows=block_rows, block_cols=block_cols)
    rows, _, scores = visits(n, block_rows, block_cols, causal)
    state = d + 2  # of a row: O, ℓ, m
    return {
        "reads": 2 * n * d + rows * (d + state),  # line 6: K, V; line 8: Q and state
        "writes": n * state + rows * state,  # line 2; lines 12 and 13
        "flops": 4 * scores * d,
        "sram": tile_sram(n, d, block_rows, block_cols),
    }
    # --8<-- [end:flash1_forward]


# --8<-- [start:flash2_forward]
def flash2_forward(n, d, block_rows, block_cols, *, causal=False):
    """Q outside, as FlashAttention-2: K and V cross once for each of T_r blocks.

    O and L, one number a row, are written once. B_c does not change the traffic,
    unless tiles are skipped.
    """
    check(n=n, d=d, block_rows=block_rows, block_cols=block_cols)
    _, cols, scores = visits(n, block_rows, block_cols, causal)
    return {
        "reads": n * d + cols * 2 * d,  # Q; K and V
        "writes": n * d + n,  # O; L
        "flops": 4 * scores * d,
        "sram": tile_sram(n, d, block_rows, block_cols),
    }
    # --8<-- [end:flash2_forward]


# --8<-- [start:bytes]
DTYPES = {"fp64": 8, "fp32": 4, "bf16": 2, "fp16": 2}


def in_bytes(elements, dtype):
    """The bytes of a number of elements, all of one dtype: fp64, fp32, bf16, fp16."""
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
    return elements * DTYPES[dtype]
    # --8<-- [end:bytes]


def standard_backward(n, d):
    """Algorithm 3: tilewise.ledger_backward.standard_backward."""
    from tilewise import ledger_backward  # it stands on this module

    return ledger_backward.standard_backward(n, d)


def flash1_backward(n, d, block_rows, block_cols, *, causal=False):
    """Algorithm 4: tilewise.ledger_backward.flash1_backward."""
    from tilewise import ledger_backward

    return ledger_backward.flash1_backward(n, d, block_rows, block_cols, causal=causal)


def flash2_backward(n, d, block_rows, block_cols, *, causal=False):
    """FlashAttention-2's: tilewise.ledger_backward.flash2_backward."""
    from tilewise import ledger_backward

    return ledger_backward.flash2_backward(n, d, block_rows, block_cols, causal=causal)


def saved(n, d):
    """What stays for the backward pass: tilewise.ledger_backward.saved."""
    from tilewise import ledger_backward

    return ledger_backward.saved(n, d)
