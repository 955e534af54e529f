"""What attention's backward pass costs, counted exactly, in the terms of `ledger`.

Source: Algorithms 3 and 4 of FlashAttention, arXiv 2205.14135, and Algorithm 2 of
FlashAttention-2, arXiv 2307.08691.
"""

from tilewise.ledger import check, visits


# --8<-- [start:standard_backward]
def standard_backward(n, d):
    """Algorithm 3: P comes from HBM, dP and dS go there and back, 7N² + 8Nd in all.

    A product keeps an N × d matrix on chip, its right side or its result, with one
    row and one number more; line 3 keeps a row of P and one of dP, and their sum.
    """
    check(n=n, d=d)
    return {
        # P, dO; dO, V; P, dP; dS, K; dS, Q
        "reads": (n * n + n * d) + 2 * n * d + 2 * n * n + 2 * (n * n + n * d),
        "writes": n * d + n * n + n * n + n * d + n * d,  # dV; dP; dS; dQ; dK
        "flops": 4 * 2 * n * n * d,  # Pᵀ dO; dO Vᵀ; dS K; dSᵀ Q
        "sram": max(n * d + d + 1, 2 * n + 1),
    }
    # --8<-- [end:standard_backward]


# --8<-- [start:flash1_backward]
def flash1_backward(n, d, block_rows, block_cols, *, causal=False):
    """Algorithm 4, K and V outside: five products a tile, dQ read and written in each.

    Line 5 writes dQ = dK = dV = 0 before that. B_r does not change the traffic,
    unless tiles are skipped. On chip: Q_i, O_i, dO_i, dQ_i, ℓ_i, m_i, K_j, V_j, dK_j,
    dV_j, S_ij (P_ij takes its place) and dP_ij (dS_ij takes its place).
    """
    check(n=n, d=d, block_rows=block_rows, block_cols=block_cols)
    rows, _, scores = visits(n, block_rows, block_cols, causal)
    b_r, b_c = min(block_rows, n), min(block_cols, n)
    return {
        "reads": 2 * n * d + rows * (4 * d + 2),  # line 7: K, V; line 10: the rest
        "writes": 3 * n * d + rows * d + 2 * n * d,  # line 5; line 21: dQ; line 24
        "flops": 5 * 2 * scores * d,  # Q Kᵀ; Pᵀ dO; dO Vᵀ; dS K; dSᵀ Q
        "sram": 4 * b_r * d + 2 * b_r + 4 * b_c * d + 2 * b_r * b_c,
    }
    # --8<-- [end:flash1_backward]


# --8<-- [start:flash2_backward]
def flash2_backward(n, d, block_rows, block_cols, *, causal=False):
    """FlashAttention-2: δ = rowsum(dO ∘ O) once before the loop, which needs no O.

    K and V stay outside; L takes the place of ℓ and m. Only dQ = 0 is written first.
    """
    check(n=n, d=d, block_rows=block_rows, block_cols=block_cols)
    rows, _, scores = visits(n, block_rows, block_cols, causal)
    b_r, b_c = min(block_rows, n), min(block_cols, n)
    return {
        # dO and O for δ; K and V; then Q, dO, dQ, L and δ of every tile
        "reads": 2 * n * d + 2 * n * d + rows * (3 * d + 2),
        "writes": n + n * d + rows * d + 2 * n * d,  # δ; dQ = 0; dQ; dK and dV
        "flops": 5 * 2 * scores * d,
        "sram": 3 * b_r * d + 2 * b_r + 4 * b_c * d + 2 * b_r * b_c,
    }
    # --8<-- [end:flash2_backward]


# --8<-- [start:saved]
def saved(n, d):
    """Elements that stay in HBM from the forward to the backward pass, by algorithm.

    standard: Q, K, V and P;  flash1: Q, K, V, O, ℓ and m;  flash2: Q, K, V, O and L.
    """
    check(n=n, d=d)
    tiled = 4 * n * d
    return {
        "standard": 3 * n * d + n * n,
        "flash1": tiled + 2 * n,
        "flash2": tiled + n,
    }
    # --8<-- [end:saved]
