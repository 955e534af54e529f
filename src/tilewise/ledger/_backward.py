"""What attention's backward pass costs, counted exactly, in the terms of `ledger`.

Source: Algorithms 3 and 4 of FlashAttention, arXiv 2205.14135, and Algorithm 2 of
FlashAttention-2, arXiv 2307.08691.
"""

from tilewise.checks import check_sizes
from tilewise.ledger.sizes import keys
from tilewise.ledger.tiles import visits


def standard_backward(
    n: int, d: int, *, n_k: int | None = None, causal: bool | str = False
) -> dict[str, int]:
    """Algorithm 3: P comes from HBM, dP and dS go there and back, 7N² + 8Nd in all.

    A product keeps K, V, dK or dV on the chip, together with one row of Q or dO and
    one more number; line 3 keeps a row of P, a row of dP and their sum. causal changes
    nothing.
    """
    n_k = keys(n, n_k, causal)
    check_sizes(n=n, d=d, n_k=n_k)
    s, q, k = n * n_k, n * d, n_k * d
    return {
        # line 1: P, dO; 2: dO, V; 3: P, dP; 4: dS, K; 5: dS, Q
        "reads": (s + q) + (q + k) + (s + s) + (s + k) + (s + q),
        "writes": k + s + s + q + k,  # in the same lines: dV; dP; dS; dQ; dK
        "flops": 4 * 2 * s * d,  # Pᵀ dO; dO Vᵀ; dS K; dSᵀ Q
        "sram": max(k + d + 1, 2 * n_k + 1),
    }


def flash1_backward(
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
    """Algorithm 4, K and V outside: each tile has five products and moves dQ both ways.

    Before that, line 5 writes dQ = dK = dV = 0. B_r does not change the traffic unless
    tiles are skipped. On the chip are Q_i, O_i, dO_i, dQ_i, ℓ_i, m_i, K_j, V_j, dK_j,
    dV_j, S_ij (whose place P_ij takes) and dP_ij (whose place dS_ij takes).
    """
    n_k = keys(n, n_k, causal, window)
    check_sizes(n=n, d=d, n_k=n_k, block_rows=block_rows, block_cols=block_cols)
    mask = causal, window, block_mask
    rows, _, scores = visits(n, n_k, block_rows, block_cols, *mask)
    b_r, b_c = min(block_rows, n), min(block_cols, n_k)
    zeros = n * d + 2 * n_k * d
    return {
        "reads": 2 * n_k * d + rows * (4 * d + 2),  # line 7: K, V; line 10: the rest
        "writes": zeros + rows * d + 2 * n_k * d,  # line 5; line 21: dQ; line 24
        "flops": 5 * 2 * scores * d,  # Q Kᵀ; Pᵀ dO; dO Vᵀ; dS K; dSᵀ Q
        "sram": 4 * b_r * d + 2 * b_r + 4 * b_c * d + 2 * b_r * b_c,
    }


def flash2_backward(
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
    """FlashAttention-2: δ = rowsum(dO ∘ O) comes before the loop, which needs no O.

    K and V stay outside, and L takes the place of ℓ and m. Only dQ = 0 is written
    first. In the paper, line 9 also loads O_i, which nothing in the loop uses, and
    dQ_i, which line 15 loads as well; here O_i is read for δ only, and dQ_i once per
    tile.
    """
    n_k = keys(n, n_k, causal, window)
    check_sizes(n=n, d=d, n_k=n_k, block_rows=block_rows, block_cols=block_cols)
    mask = causal, window, block_mask
    rows, _, scores = visits(n, n_k, block_rows, block_cols, *mask)
    b_r, b_c = min(block_rows, n), min(block_cols, n_k)
    return {
        # line 4: dO, O; line 6: K, V; line 9: Q, dO, L, δ; line 15: dQ
        "reads": 2 * n * d + 2 * n_k * d + rows * (3 * d + 2),
        # line 4: δ; line 3: dQ = 0; line 15: dQ; line 18: dK, dV
        "writes": n + n * d + rows * d + 2 * n_k * d,
        "flops": 5 * 2 * scores * d,
        "sram": 3 * b_r * d + 2 * b_r + 4 * b_c * d + 2 * b_r * b_c,
    }


def saved(n: int, d: int, *, n_k: int | None = None) -> dict[str, int]:
    """Elements that stay in HBM between the two passes, for each algorithm.

    standard: Q, K, V and P;  flash1: Q, K, V, O, ℓ and m;  flash2: Q, K, V, O and L.
    """
    n_k = keys(n, n_k, False)
    check_sizes(n=n, d=d, n_k=n_k)
    inputs = n * d + 2 * n_k * d
    return {
        "standard": inputs + n * n_k,
        "flash1": inputs + n * d + 2 * n,
        "flash2": inputs + n * d + n,
    }
