"""FlashAttention as in its paper, forward and backward: loops over tiles, K, V outside.

Source: Algorithms 2 and 4 of FlashAttention, arXiv 2205.14135; the lines in comments
are theirs. Without mask and dropout, Algorithm 2 is Algorithm 1. The forward loop over
plain lists, with every number on the way, is `tilewise.trace`.

Options of all four passes, here and in `tilewise.flash2`: scale (None is 1/√d), causal
(False, True for bottom-right, "top-left"), and three functions of a tile's global
indices rows (B_r, 1) and cols (B_c). mask returns bools (..., B_r, B_c), True where a
row may see a key (`tilewise.masks` makes such functions), bias returns what is added
to S, and dropout what P is multiplied with (`tilewise.dropout`). rule is a function of
each score before the bias, as softcap is, and sinks are the logits of one more key for
each head, whose value is zero (`tilewise.variants`). The saved sums contain the sink,
so that the backward passes need not know it. q may have several heads for each head of
k and v, and v another d.
"""

# --8<-- [start:imports]
import math

import torch
from torch import Tensor

from tilewise.fits import Causal, check_saved
from tilewise.tiled import AS_IS, ScoreRule, TileRule, blocks, prepare, start

# --8<-- [end:imports]


# --8<-- [start:scores]
def scores(
    q_i: Tensor, k_j: Tensor, scale: float, visible: Tensor, rule: ScoreRule = AS_IS
) -> Tensor:
    """S_ij = τ Q_i K_jᵀ, (B_r, B_c), with −∞ where a row may not see a key."""
    s = rule.value(scale * (q_i @ k_j.mT))
    return s.masked_fill(~visible, -math.inf)


def weight(x: Tensor, m: Tensor) -> Tensor:
    """e^{x − m}, and 0 where x is −∞ (a hidden key), even if m is −∞ too."""
    return torch.exp(x - m).masked_fill(x == -math.inf, 0)
    # --8<-- [end:scores]


# --8<-- [start:flash1_forward]
@torch.no_grad()
def flash1_forward(
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
) -> tuple[Tensor, Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v, one tile at a time, K and V outside: Algorithm 2.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) in q's dtype
    and row maxima m, sums l (..., N_q), fp32 or wider. No key seen: o = l = 0, m = −∞.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    o = q.new_zeros(*q.shape[:-1], v.shape[-1], dtype=wide)  # line 3: O, ℓ, m in HBM
    m, l = start(o, sinks)
    for cols in blocks(k, block_cols):  # line 6: (B_c,)
        k_j, v_j = load(k, cols), load(v, cols)  # line 7: (B_c, d)
        for rows in blocks(q, block_rows):  # line 8: (B_r,)
            at = rows[:, None], cols  # (B_r, 1), (B_c,)
            if not (visible := mask(*at)).any():  # (B_r, B_c): True where r sees c
                continue  # an empty tile: nothing to load, nothing to do
            q_i, o_i, l_i, m_i = (load(x, rows) for x in (q, o, l, m))  # line 9
            s = scores(q_i, k_j, scale, visible, rule) + bias(*at)  # lines 10, 11
            m_tilde = s.amax(-1, keepdim=True)  # line 12: (B_r, 1)
            p_tilde = weight(s, m_tilde)  # (B_r, B_c)
            l_tilde = p_tilde.sum(-1, keepdim=True)  # (B_r, 1)
            m_new = torch.maximum(m_i, m_tilde)  # line 13: (B_r, 1)
            alpha, beta = weight(m_i, m_new), weight(m_tilde, m_new)
            l_new = alpha * l_i + beta * l_tilde  # of P before dropout
            p_tilde = p_tilde * dropout(*at)  # line 14
            o_new = alpha * l_i * o_i + beta * (p_tilde @ v_j)  # (B_r, d_v)
            o[..., rows, :] = o_new / l_new.clamp(min=1)  # line 15: 0 / 1, not 0 / 0
            l[..., rows, :], m[..., rows, :] = l_new, m_new  # line 16
    return o.to(q.dtype), m[..., 0], l[..., 0]  # line 19
    # --8<-- [end:flash1_forward]


# --8<-- [start:flash1_backward]
def tile_gradients(
    p: Tensor,
    z: Tensor,
    slope: Tensor | int,
    q_i: Tensor,
    do_i: Tensor,
    delta: Tensor,
    k_j: Tensor,
    v_j: Tensor,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """What tile (i, j) adds to dQ_i, dK_j and dV_j: Algorithm 4, lines 15 to 22.

    p, z, slope (..., B_r, B_c), delta (..., B_r, 1); z and slope may be 1. These are
    four products of matrices; S_ij, from which p is computed, is the fifth.
    """
    dv = (p * z).mT @ do_i  # lines 15, 16: (B_c, d_v)
    dp = (do_i @ v_j.mT) * z  # lines 17, 18: (B_r, B_c)
    ds = p * (dp - delta) * slope  # line 20: softmax's Jacobian, row by row
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv  # lines 21, 22


def group_sum(x: Tensor, k: Tensor) -> Tensor:
    """dK_j or dV_j, summed over the query heads that share a head of k (GQA, MQA)."""
    if x.shape[:-2] == k.shape[:-2]:
        return x
    return x.unflatten(-3, (k.shape[-3], -1)).sum(-3)


@torch.no_grad()
def flash1_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor,
    m: Tensor,
    l: Tensor,
    block_rows: int,
    block_cols: int,
    *,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
    rule: ScoreRule = AS_IS,
) -> tuple[Tensor, Tensor, Tensor]:
    """dQ, dK, dV from the saved o, m and l; P is computed again by tiles: Algorithm 4.

    Shapes and options as in flash1_forward, which returned o, m, l; do is like o. A row
    that saw no key adds nothing to any gradient. The results are in q's dtype.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    check_saved(q, v, o=o, do=do, m=m, l=l)
    dq, dk, dv = (torch.zeros_like(x, dtype=wide) for x in (q, k, v))  # line 5: in HBM
    m, l = m[..., None], l[..., None].clamp(min=1)  # (N_q, 1); l = 0: nothing seen
    for cols in blocks(k, block_cols):  # line 6
        k_j, v_j = load(k, cols), load(v, cols)  # line 7: (B_c, d)
        dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)  # line 8: on chip
        for rows in blocks(q, block_rows):  # line 9
            at = rows[:, None], cols
            if not (visible := mask(*at)).any():  # (B_r, B_c)
                continue
            q_i, o_i, do_i, m_i, l_i = (load(x, rows) for x in (q, o, do, m, l))
            s = scores(q_i, k_j, scale, visible, rule)  # lines 11, 12: (B_r, B_c)
            p = weight(s + bias(*at), m_i) / l_i  # line 13: the final weights
            z, slope = dropout(*at), rule.slope(s)  # line 14: as forward
            delta = (do_i * o_i).sum(-1, keepdim=True)  # line 19: (B_r, 1)
            parts = tile_gradients(p, z, slope, q_i, do_i, delta, k_j, v_j, scale)
            dq[..., rows, :] += parts[0]  # line 21: through HBM
            dk_j, dv_j = dk_j + parts[1], dv_j + parts[2]  # lines 22, 16: (B_c, d)
        dk[..., cols, :] = group_sum(dk_j, k)  # line 24
        dv[..., cols, :] = group_sum(dv_j, v)
    return dq.to(q.dtype), dk.to(q.dtype), dv.to(q.dtype)  # line 26
    # --8<-- [end:flash1_backward]
