"""FlashAttention as its paper has it, forward and backward: K and V outside, by tiles.

Source: Algorithms 1, 2 and 4 of FlashAttention, arXiv 2205.14135; lines in comments are
those of 1 and 4. The forward loop over plain lists, with every number on the way, is
`tilewise.trace`.

Options of all four passes, here and in `tilewise.flash2`: scale (None is 1/√d), causal
(False, True for bottom-right, "top-left"), and two functions of a tile's global indices
rows (B_r, 1), cols (B_c): mask gives bools (..., B_r, B_c), True where a row may see a
key (`tilewise.masks` makes such), dropout what to multiply P with (`tilewise.dropout`).
"""

# --8<-- [start:imports]
import math
from collections.abc import Callable

import torch
from torch import Tensor

# --8<-- [end:imports]
from tilewise.fits import check, check_saved
from tilewise.types import Causal

# --8<-- [start:prepare]
TileRule = Callable[[Tensor, Tensor], Tensor]  # of a tile's rows (B_r, 1), cols (B_c)


def prepare(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_rows: int,
    block_cols: int,
    scale: float | None,
    causal: Causal,
) -> tuple[float, int, int, torch.dtype]:
    """Check the input; return τ, causal shift, query heads a key head, dtype of sums.

    scale None is 1/√d. Row r sees keys 0 .. r + shift: all of them, or with causal up
    to r + N_k − N_q (True, bottom-right) or up to r ("top-left").
    q has one head for each of k's and v's, or a whole number (GQA, MQA).
    The options mask and dropout are functions of a tile's global indices rows (B_r, 1)
    and cols (B_c): which keys a row may see (True), and what to multiply P with.
    """
    check(q, k, v, block_rows, block_cols, causal)
    (n_q, d), n_k = q.shape[-2:], k.shape[-2]
    shift = {False: n_k, True: n_k - n_q, "top-left": 0}[causal]
    scale = d**-0.5 if scale is None else scale
    group = q.shape[:-2].numel() // k.shape[:-2].numel()
    return scale, shift, group, torch.promote_types(q.dtype, torch.float32)


def blocks(x: Tensor, size: int) -> tuple[Tensor, ...]:
    """The indices 0 .. N − 1 of the rows of x (..., N, d), by blocks of `size`."""
    return torch.arange(x.shape[-2], device=x.device).split(size)


def visible(rows: Tensor, cols: Tensor, shift: int, mask: TileRule | None) -> Tensor:
    """Which keys the rows of a tile may see, (B_r, B_c), by their global indices."""
    seen = cols <= rows[:, None] + shift
    return seen if mask is None else seen & mask(rows[:, None], cols)


def spread(x: Tensor, group: int) -> Tensor:
    """K_j or V_j (..., heads, B_c, d), once for each query head that shares it."""
    return x if group == 1 else x.repeat_interleave(group, -3)


def scores(q_i: Tensor, k_j: Tensor, scale: float, seen: Tensor) -> Tensor:
    """S_ij = τ Q_i K_jᵀ, (B_r, B_c), with −∞ where a row may not see a key."""
    return (scale * (q_i @ k_j.mT)).masked_fill(~seen, -math.inf)


def factors(
    rows: Tensor, cols: Tensor, dropout: TileRule | None, wide: torch.dtype
) -> Tensor | int:
    """Z_ij, what dropout multiplies a tile of P with; 1 without dropout."""
    return 1 if dropout is None else dropout(rows[:, None], cols).to(wide)


def weight(x: Tensor, m: Tensor) -> Tensor:
    """e^{x − m}, and 0 where x is −∞ (a key that is not there), even if m is −∞ too."""
    return torch.exp(x - m).masked_fill(x == -math.inf, 0)
    # --8<-- [end:prepare]


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
    dropout: TileRule | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v, one tile at a time: Algorithm 2, or 1 without options.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) in q's dtype
    and row maxima m, sums l (..., N_q), fp32 or wider. No key seen: o = l = 0, m = −∞.
    """
    scale, shift, group, wide = prepare(q, k, v, block_rows, block_cols, scale, causal)
    o = q.new_zeros(*q.shape[:-1], v.shape[-1], dtype=wide)  # line 2: (N_q, d_v)
    l = q.new_zeros(*q.shape[:-1], 1, dtype=wide)  # (N_q, 1)
    m = torch.full_like(l, -math.inf)  # (N_q, 1)
    for cols in blocks(k, block_cols):  # line 5; then line 6: (B_c, d)
        k_j, v_j = (spread(x[..., cols, :].to(wide), group) for x in (k, v))
        for rows in blocks(q, block_rows):  # line 7
            seen = visible(rows, cols, shift, mask)
            if not seen.any():
                continue  # an empty tile: no row sees a key of it
            q_i, o_i, l_i, m_i = (x[..., rows, :] for x in (q, o, l, m))  # line 8
            s = scores(q_i.to(wide), k_j, scale, seen)  # line 9: (B_r, B_c)
            m_tilde = s.amax(-1, keepdim=True)  # line 10: (B_r, 1)
            p_tilde = weight(s, m_tilde)  # (B_r, B_c)
            l_tilde = p_tilde.sum(-1, keepdim=True)  # (B_r, 1)
            m_new = torch.maximum(m_i, m_tilde)  # line 11: (B_r, 1)
            alpha, beta = weight(m_i, m_new), weight(m_tilde, m_new)
            l_new = alpha * l_i + beta * l_tilde  # ≥ 1, or 0 where no key was seen
            p_tilde = p_tilde * factors(rows, cols, dropout, wide)  # after l̃: P drops
            o_new = alpha * l_i * o_i + beta * (p_tilde @ v_j)  # (B_r, d_v)
            o[..., rows, :] = o_new / l_new.clamp(min=1)  # line 12
            l[..., rows, :], m[..., rows, :] = l_new, m_new  # line 13
    return o.to(q.dtype), m[..., 0], l[..., 0]  # line 16
    # --8<-- [end:flash1_forward]


# --8<-- [start:tile_gradients]
def tile_gradients(
    p: Tensor,
    z: Tensor | int,
    q_i: Tensor,
    do_i: Tensor,
    delta: Tensor,
    k_j: Tensor,
    v_j: Tensor,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """What tile (i, j) adds to dQ_i, dK_j and dV_j: Algorithm 4, lines 15 to 22.

    p, z (..., B_r, B_c), or z = 1 without dropout; delta (..., B_r, 1). Four products,
    to which S_ij for p is the fifth.
    """
    dv = (p * z).mT @ do_i  # line 16: (B_c, d_v)
    dp = (do_i @ v_j.mT) * z  # lines 17, 18: (B_r, B_c)
    ds = p * (dp - delta)  # line 20: softmax's Jacobian, row by row
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv  # lines 21, 22


def gather(x: Tensor, group: int) -> Tensor:
    """dK_j or dV_j: the sum over the query heads that share a key head."""
    return x if group == 1 else x.unflatten(-3, (-1, group)).sum(-3)
    # --8<-- [end:tile_gradients]


# --8<-- [start:flash1_backward]
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
    dropout: TileRule | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """dQ, dK, dV from the saved o, m and l, P made again tile by tile: Algorithm 4.

    Shapes and options as in flash1_forward, which gave o, m, l; do is like o. A row
    that saw no key adds nothing to any gradient. Results are in q's dtype.
    """
    scale, shift, group, wide = prepare(q, k, v, block_rows, block_cols, scale, causal)
    check_saved(q, v, o=o, do=do, m=m, l=l)
    dq, dk, dv = (torch.zeros_like(x, dtype=wide) for x in (q, k, v))  # line 5
    m, l = m[..., None], l[..., None].clamp(min=1)  # (N_q, 1); l = 0: nothing seen
    for cols in blocks(k, block_cols):  # line 6; then line 7: (B_c, d)
        k_j, v_j = (spread(x[..., cols, :].to(wide), group) for x in (k, v))
        dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)  # line 8: on chip
        for rows in blocks(q, block_rows):  # line 9
            seen = visible(rows, cols, shift, mask)
            if not seen.any():
                continue
            q_i, o_i, do_i = (x[..., rows, :].to(wide) for x in (q, o, do))  # line 10
            s = scores(q_i, k_j, scale, seen)  # lines 11, 12: (B_r, B_c)
            p = weight(s, m[..., rows, :]) / l[..., rows, :]  # line 13: (B_r, B_c)
            z = factors(rows, cols, dropout, wide)  # line 14
            delta = (do_i * o_i).sum(-1, keepdim=True)  # line 19: (B_r, 1)
            parts = tile_gradients(p, z, q_i, do_i, delta, k_j, v_j, scale)
            dq[..., rows, :] += parts[0]  # line 21: through HBM
            dk_j, dv_j = dk_j + parts[1], dv_j + parts[2]  # lines 22, 16
        dk[..., cols, :] = gather(dk_j, group)  # line 24
        dv[..., cols, :] = gather(dv_j, group)
    return dq.to(q.dtype), dk.to(q.dtype), dv.to(q.dtype)  # line 26
    # --8<-- [end:flash1_backward]
