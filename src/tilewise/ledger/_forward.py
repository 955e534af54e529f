"""What the forward passes of standard attention, FA1 and FA2 cost, in `ledger`'s terms.

Source: Algorithms 0 and 1 of FlashAttention, arXiv 2205.14135, and Algorithm 1 of
FlashAttention-2, arXiv 2307.08691.
"""

from tilewise.checks import check_sizes
from tilewise.ledger.sizes import ceil_div, keys
from tilewise.ledger.tiles import visits


def block_sizes(sram: int, d: int) -> tuple[int, int]:
    """(B_r, B_c) of Algorithm 1, line 1: B_c = ⌈M/4d⌉, B_r = min(⌈M/4d⌉, d).

    M = sram is the size of the on-chip memory in elements, not in bytes.
    """
    check_sizes(sram=sram, d=d)
    block_cols = ceil_div(sram, 4 * d)
    return min(block_cols, d), block_cols


def standard_forward(
    n: int, d: int, *, n_k: int | None = None, causal: bool | str = False
) -> dict[str, int]:
    """Algorithm 0: S and P go out to HBM and come back, 4N² + 4Nd elements in all.

    To read each matrix only once, a product keeps K or V on the chip, together with
    one row of Q or O and one number: N_k·d + d + 1. causal changes nothing, because
    the mask hides scores that have been computed.
    """
    n_k = keys(n, n_k, causal)
    check_sizes(n=n, d=d, n_k=n_k)
    s = n * n_k
    return {
        "reads": (n * d + n_k * d) + s + (s + n_k * d),  # line 1: Q, K; 2: S; 3: P, V
        "writes": s + s + n * d,  # line 1: S; line 2: P; line 3: O
        "flops": 2 * s * d + 2 * s * d,  # Q Kᵀ; P V
        "sram": n_k * d + d + 1,
    }


def tile_sram(
    n: int, d: int, block_rows: int, block_cols: int, n_k: int | None = None
) -> int:
    """Elements of Q_i, O_i, K_j, V_j, S_ij (whose place P̃_ij takes), ℓ_i and m_i."""
    rows, cols = min(block_rows, n), min(block_cols, keys(n, n_k, False))
    return 2 * rows * d + 2 * cols * d + rows * cols + 2 * rows


# --8<-- [start:flash1_forward]
def flash1_forward(
    n: int,
    d: int,
    block_rows: int,
    block_cols: int,
    *,
    n_k: int | None = None,
    causal: bool | str = False,
    window: tuple | None = None,
    block_mask: list | None = None,
) -> dict[str, int]:
    """Algorithm 1, K and V outside: Q, O, ℓ and m cross once for each of T_c blocks.

    Before that, line 2 writes O, ℓ and m once. B_r does not change the traffic unless
    tiles are skipped.
    """
    n_k = keys(n, n_k, causal, window)
    check_sizes(n=n, d=d, n_k=n_k, block_rows=block_rows, block_cols=block_cols)
    mask = causal, window, block_mask
    rows, _, scores = visits(n, n_k, block_rows, block_cols, *mask)
    state = d + 2  # of a row: O, ℓ, m
    return {
        "reads": 2 * n_k * d + rows * (d + state),  # line 6: K, V; line 8: Q and state
        "writes": n * state + rows * state,  # line 2; lines 12 and 13
        "flops": 4 * scores * d,
        "sram": tile_sram(n, d, block_rows, block_cols, n_k),
    }
    # --8<-- [end:flash1_forward]


def flash2_forward(
    n: int,
    d: int,
    block_rows: int,
    block_cols: int,
    *,
    n_k: int | None = None,
    causal: bool | str = False,
    window: tuple | None = None,
    block_mask: list | None = None,
) -> dict[str, int]:
    """FlashAttention-2, Q outside: K and V cross once for each of T_r blocks.

    O is written once, and so is L, which has one number per row. B_c does not change
    the traffic unless tiles are skipped.
    """
    n_k = keys(n, n_k, causal, window)
    check_sizes(n=n, d=d, n_k=n_k, block_rows=block_rows, block_cols=block_cols)
    mask = causal, window, block_mask
    _, cols, scores = visits(n, n_k, block_rows, block_cols, *mask)
    return {
        "reads": n * d + cols * 2 * d,  # line 4: Q; line 7: K and V
        "writes": n * d + n,  # line 14: O; line 15: L
        "flops": 4 * scores * d,
        "sram": tile_sram(n, d, block_rows, block_cols, n_k),
    }
