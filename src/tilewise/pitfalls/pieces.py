"""The pieces that an attention is made of, each right, each a few lines.

A wrong variant has the arguments of one of these and takes its place; the rest of the
attention stays right. q_i is (..., B_r, d), k_j (..., B_c, d), v_j (..., B_c, d_v), s,
p and z (..., B_r, B_c), m, l and delta (..., B_r, 1), o and do (..., B_r, d_v);
rows (B_r,) and cols (B_c,) are indices over the whole sequence.
"""

import torch

from tilewise.dropout import keep_factors
from tilewise.flash1 import weight  # e^{x − m}, and 0 where x is −∞


def load(x):
    """Q, K, V as the tiles are computed: in fp32 or wider."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def buffer(q, d_v):
    """New memory for O, at every call."""
    return q.new_empty(*q.shape[:-1], d_v)


def scale(q, k):
    """τ = 1 / √d, d being the length of the dot product."""
    return q.shape[-1] ** -0.5


def spread(x, group):
    """Each key head once for every query head of its group: 0 0 1 1, not 0 1 0 1."""
    return x.repeat_interleave(group, -3)


def blocks(n, size):
    """The indices 0 .. n − 1 in blocks; the last one may be smaller."""
    return torch.arange(n).split(size)


def pad(k, v, size):
    """Nothing is added to the keys: a smaller last block is a smaller tile."""
    return k, v


def visit(key_blocks, rows, block_rows, shift):
    """The causal tiles of a block of rows: all up to what its last row may see."""
    return [cols for cols in key_blocks if cols[0] <= rows[-1] + shift]


def scores(q_i, k_j, scale):
    """S_ij = τ Q_i K_jᵀ."""
    return scale * (q_i @ k_j.mT)


# --8<-- [start:causal]
def causal(rows, cols, n_q, n_k):
    """Row r sees keys 0 .. r + N_k − N_q, counted over the whole sequence."""
    return cols <= rows[:, None] + n_k - n_q
    # --8<-- [end:causal]


def own_keys(n_k, length):
    """How many keys the sequence has, where the cache has room for more."""
    return n_k if length is None else length


def padding(cols, length, n_k):
    """True where a key is one of the sequence, False where it is padding."""
    return cols < length


def documents(rows, cols, lengths):
    """Documents packed one after another: a row sees its own document."""
    ends = torch.tensor(lengths).cumsum(0)
    return torch.bucketize(rows, ends, right=True)[:, None] == torch.bucketize(
        cols, ends, right=True
    )


def place(cols, first):
    """The index of a split's keys over the whole sequence, for the masks."""
    return cols


def hide(s, seen):
    """−∞ where a row may not see a key: e^{−∞} = 0."""
    return s.masked_fill(~seen, -torch.inf)


# --8<-- [start:weights]
def weights(s, seen):
    """P = softmax(S), row by row over the keys (the last axis); 0 without any key."""
    p = torch.softmax(s.masked_fill(~seen, -torch.inf), dim=-1)
    return p.masked_fill(~seen, 0)
    # --8<-- [end:weights]


# --8<-- [start:keep]
def keep(p, seed, n_q, n_k):
    """Which entries dropout keeps: a function of where an entry is, of nothing else.

    Returns rows (B_r,), cols (B_c,) → bools (B_r, B_c).
    """
    factors = keep_factors(p, seed)
    return lambda rows, cols: factors(rows[:, None], cols) > 0
    # --8<-- [end:keep]


def factor(kept, p):
    """Z: 0 for what is dropped, 1 / (1 − p) for the rest, so that the mean stays."""
    return kept / (1 - p)


def start(like):
    """m = −∞, ℓ = 0, o = 0; like is o's shape (..., B_r, d_v)."""
    l = torch.zeros_like(like[..., :1])
    return torch.full_like(l, -torch.inf), l, torch.zeros_like(like)


# --8<-- [start:step]
def step(m, l, o, s, v_j, z):
    """One tile into the state: ℓ' = α ℓ + rowsum P, o' = α o + P V.

    m' = max(m, rowmax S), P = e^{S − m'}, α = e^{m − m'}; dropout multiplies P by z.
    """
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = weight(s, m_new), weight(m, m_new)
    return m_new, alpha * l + p.sum(-1, keepdim=True), alpha * o + (p * z) @ v_j
    # --8<-- [end:step]


def update(m, l, o, m_tilde, l_tilde, pv):
    """FlashAttention-1's step: o is a mean at all times. pv is P̃_ij V_j.

    α = e^{m − m'}, β = e^{m̃ − m'}, ℓ' = α ℓ + β ℓ̃, o' = (α ℓ o + β P̃ V) / ℓ'
    """
    m_new = torch.maximum(m, m_tilde)
    alpha, beta = weight(m, m_new), weight(m_tilde, m_new)
    l_new = alpha * l + beta * l_tilde
    o_new = (alpha * l * o + beta * pv) / l_new.masked_fill(l_new == 0, 1)
    return m_new, l_new, o_new


def values(v, rows, cols):
    """V_j: the values of the same keys as K_j."""
    return v[..., cols, :]


def finish(m, l, o):
    """O = o / ℓ and L = m + ln ℓ; 0 and −∞ for a row that saw no key."""
    return o / l.masked_fill(l == 0, 1), m + l.log()


def merge(o, lse):
    """Splits, stacked in front: L = ln Σ e^{L_s}, o = Σ e^{L_s − L} o_s."""
    m = lse.amax(0)
    share = weight(lse, m)  # (splits, ..., N_q, 1)
    l = share.sum(0)
    return (share * o).sum(0) / l.masked_fill(l == 0, 1), m + l.log()
