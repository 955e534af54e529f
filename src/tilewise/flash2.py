"""FlashAttention-2's order: Q outside forward, K and V outside backward, L saved.

Source: Algorithms 1 and 2 of FlashAttention-2, arXiv 2307.08691, without the stray
inverse of Algorithm 1's line 10. L is the natural logarithm of Σ e^s, over the sink
too where there is one. The options are those of `tilewise.flash1`.
"""

# --8<-- [start:imports]
import torch
from torch import Tensor

from tilewise.fits import Causal, check_saved
from tilewise.flash1 import group_sum, scores, tile_gradients, weight
from tilewise.tiled import AS_IS, ScoreRule, TileRule, blocks, like, prepare, start

# --8<-- [end:imports]


# --8<-- [start:flash2_forward]
@torch.no_grad()
def flash2_forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_rows: int,
    block_cols: int,
    *,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
    rule: ScoreRule = AS_IS,
    sinks: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v and L, one block of queries after another: Algorithm 1.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) in q's dtype
    and lse (..., N_q), fp32 or wider. No key seen: o = 0, lse = −∞.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    o = like(q, v.shape[-1])  # in HBM: every row is written once
    lse = q.new_empty(*q.shape[:-1], 1, dtype=wide)
    for rows in blocks(q, block_rows):  # line 3: on a GPU a program each
        q_i = load(q, rows)  # line 4: (B_r, d)
        o_i = q_i.new_zeros(*q_i.shape[:-1], v.shape[-1])  # line 5: on chip, (B_r, d_v)
        m_i, l_i = start(o_i, sinks)  # (B_r, 1) each
        for cols in blocks(k, block_cols):  # line 6: (B_c,)
            at = rows[:, None], cols  # (B_r, 1), (B_c,)
            visible = mask(*at)  # (B_r, B_c): True where r sees c
            if not visible.any():
                continue  # an empty tile
            k_j, v_j = load(k, cols), load(v, cols)  # line 7: (B_c, d)
            s = scores(q_i, k_j, scale, visible, rule) + bias(*at)  # line 8
            m_old, m_i = m_i, torch.maximum(m_i, s.amax(-1, keepdim=True))  # line 9
            p, alpha = weight(s, m_i), weight(m_old, m_i)  # (B_r, B_c), (B_r, 1)
            l_i = alpha * l_i + p.sum(-1, keepdim=True)
            p = p * dropout(*at)  # after l, which is of all of P
            o_i = alpha * o_i + p @ v_j  # line 10: not divided by l yet
        o[..., rows, :] = (o_i / l_i.clamp(min=1)).to(q.dtype)  # 12, 14: divided once
        lse[..., rows, :] = m_i + l_i.log()  # lines 13, 15
    return o, lse[..., 0]  # line 17
    # --8<-- [end:flash2_forward]


# --8<-- [start:flash2_backward]
@torch.no_grad()
def flash2_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor,
    lse: Tensor,
    block_rows: int,
    block_cols: int,
    *,
    dlse: Tensor | int = 0,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
    rule: ScoreRule = AS_IS,
) -> tuple[Tensor, Tensor, Tensor]:
    """dQ, dK, dV from the saved o and L, with P = e^{S − L}: Algorithm 2.

    Shapes and options as in flash2_forward, which returned o, lse; do is like o. dlse,
    like lse, is the gradient of L: it lowers δ, since ∂L/∂S = P. No key seen: all 0.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    check_saved(q, v, o=o, do=do, lse=lse)
    dq = torch.zeros_like(q, dtype=wide)  # line 3: (N_q, d)
    dk, dv = (torch.empty_like(x, dtype=wide) for x in (k, v))  # written once each
    delta = ((do.to(wide) * o.to(wide)).sum(-1) - dlse)[..., None]  # line 4: (N_q, 1)
    for cols in blocks(k, block_cols):  # line 5
        k_j, v_j = load(k, cols), load(v, cols)  # line 6: (B_c, d)
        dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)  # line 7: on chip
        for rows in blocks(q, block_rows):  # line 8
            at = rows[:, None], cols  # (B_r, 1), (B_c,)
            visible = mask(*at)
            if not visible.any():
                continue
            q_i, do_i, delta_i = (load(x, rows) for x in (q, do, delta))  # line 9
            s = scores(q_i, k_j, scale, visible, rule)  # line 10
            p = weight(s + bias(*at), lse[..., rows, None])  # 11: no division by l
            z, slope = dropout(*at), rule.slope(s)
            parts = tile_gradients(p, z, slope, q_i, do_i, delta_i, k_j, v_j, scale)
            dq[..., rows, :] += parts[0]  # line 15: atomic on a GPU
            dk_j, dv_j = dk_j + parts[1], dv_j + parts[2]  # lines 16, 12
        dk[..., cols, :], dv[..., cols, :] = group_sum(dk_j, k), group_sum(dv_j, v)
    return dq.to(q.dtype), dk.to(q.dtype), dv.to(q.dtype)  # line 20
    # --8<-- [end:flash2_backward]
