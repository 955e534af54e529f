"""FlashAttention's forward pass as its paper has it: K and V outside, tile by tile.

Source: Algorithms 1 and 2 of FlashAttention, arXiv 2205.14135. The same loop over plain
lists, with every number on the way, is `tilewise.trace`.
"""

# --8<-- [start:imports]
import math

import torch

# --8<-- [end:imports]


# --8<-- [start:prepare]
def prepare(q, k, v, block_rows, block_cols, scale, causal):
    """Check the input; return τ, the causal shift, and the dtype to keep sums in.

    scale None is 1/√d. Row r sees keys 0 .. r + shift: all of them, or with causal up
    to r + N_k − N_q (True, bottom-right) or up to r ("top-left").
    Raises ValueError that names what does not fit.
    """
    shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
    if min(q.ndim, k.ndim, v.ndim) < 2 or 0 in q.shape + k.shape + v.shape:
        raise ValueError(f"q, k and v must be (..., N, d) and not empty: {shapes}")
    if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        raise ValueError(f"q, k and v differ in batch or heads: {shapes}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k differ in d: {shapes}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v differ in N: {shapes}")
    if not q.dtype == k.dtype == v.dtype or not q.is_floating_point():
        raise ValueError(f"dtypes must be one float: {q.dtype}, {k.dtype}, {v.dtype}")
    for name, size in (("block_rows", block_rows), ("block_cols", block_cols)):
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {size}")
    if causal not in (False, True, "top-left"):
        raise ValueError(f"causal must be False, True or 'top-left', not {causal!r}")
    (n_q, d), n_k = q.shape[-2:], k.shape[-2]
    shift = {False: n_k, True: n_k - n_q, "top-left": 0}[causal]
    scale = d**-0.5 if scale is None else scale
    return scale, shift, torch.promote_types(q.dtype, torch.float32)
    # --8<-- [end:prepare]


# --8<-- [start:flash1_forward]
def weight(x, m):
    """e^{x − m}, and 0 where x is −∞ (a key that is not there), even if m is −∞ too."""
    return torch.exp(x - m).masked_fill(x == -math.inf, 0)


@torch.no_grad()
def flash1_forward(q, k, v, block_rows, block_cols, *, scale=None, causal=False):
    """o = softmax(τ q kᵀ) v, one tile at a time: Algorithm 1, with 2's scale and mask.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) in q's dtype
    and row maxima m, sums l (..., N_q), fp32 or wider. No key seen: o = l = 0, m = −∞.
    """
    scale, shift, wide = prepare(q, k, v, block_rows, block_cols, scale, causal)
    o = q.new_zeros(*q.shape[:-1], v.shape[-1], dtype=wide)  # line 2: (N_q, d_v)
    l = q.new_zeros(*q.shape[:-1], 1, dtype=wide)  # (N_q, 1)
    m = torch.full_like(l, -math.inf)  # (N_q, 1)
    row_blocks = torch.arange(q.shape[-2], device=q.device).split(block_rows)  # line 3
    col_blocks = torch.arange(k.shape[-2], device=q.device).split(block_cols)
    for cols in col_blocks:  # line 5
        k_j, v_j = (x[..., cols, :].to(wide) for x in (k, v))  # line 6: (B_c, d)
        for rows in row_blocks:  # line 7
            if cols[0] > rows[-1] + shift:
                continue  # not even the last row of the tile sees its first key
            q_i, o_i, l_i, m_i = (x[..., rows, :] for x in (q, o, l, m))  # line 8
            s = scale * (q_i.to(wide) @ k_j.mT)  # line 9: (B_r, B_c)
            s = s.masked_fill(cols > rows[:, None] + shift, -math.inf)
            m_tilde = s.amax(-1, keepdim=True)  # line 10: (B_r, 1)
            p_tilde = weight(s, m_tilde)  # (B_r, B_c)
            l_tilde = p_tilde.sum(-1, keepdim=True)  # (B_r, 1)
            m_new = torch.maximum(m_i, m_tilde)  # line 11: (B_r, 1)
            alpha, beta = weight(m_i, m_new), weight(m_tilde, m_new)
            l_new = alpha * l_i + beta * l_tilde  # ≥ 1, or 0 where no key was seen
            o_new = alpha * l_i * o_i + beta * (p_tilde @ v_j)  # (B_r, d_v)
            o[..., rows, :] = o_new / l_new.clamp(min=1)  # line 12
            l[..., rows, :], m[..., rows, :] = l_new, m_new  # line 13
    return o.to(q.dtype), m[..., 0], l[..., 0]  # line 16
    # --8<-- [end:flash1_forward]
