"""Base 2: e^x is 2^{x log₂ e}, and the factor is part of the scale.

The card has an instruction for 2^x and none for e^x. With τ log₂ e as one constant, an
element of P costs one multiply-add and one ex2. `fa2_order` needs four multiplications,
a subtraction and a test beside its ex2, because exp treats results that are too small
for fp32's full precision. m is kept in units of log₂, and L is converted back to the
natural logarithm at the end.
"""

import triton
import triton.language as tl

from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    head_of,
    load_tile,
    padded,
    positive,
    prepare,
    shift,
    store_tile,
)

TILES = {64: (128, 64, 4, 3), 128: (128, 64, 4, 2), 256: (128, 64, 8, 2)}


# --8<-- [start:step]
@triton.jit
def step(q, k, v, acc, l, m, tau2, seen):
    """One tile of keys: S = Q Kᵀ, m' = max(m, τ₂ S), P = 2^{τ₂ S − m'}, then Õ and ℓ.

    tau2 is τ log₂ e ≥ 0. seen (B_r, B_c), or None where every row sees every key.
    """
    s = tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c), without τ
    if seen is not None:
        s = tl.where(seen, s, float("-inf"))
    m_new = tl.maximum(m, tl.max(s, 1) * tau2)  # (B_r,)
    base = m_new if seen is None else tl.where(m_new == float("-inf"), 0.0, m_new)
    p = tl.exp2(s * tau2 - base[:, None])  # one multiply-add, one ex2
    alpha = tl.exp2(m - base)
    l = alpha * l + tl.sum(p, 1)
    acc = alpha[:, None] * acc
    acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")  # (B_r, d)
    return acc, l, m_new
    # --8<-- [end:step]


@triton.jit
def start(BLOCK_ROWS: tl.constexpr, DIMS: tl.constexpr):
    """Õ, ℓ, m of a block of rows that has seen no key: 0, 0, −∞."""
    acc = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    l = tl.zeros([BLOCK_ROWS], tl.float32)
    return acc, l, tl.full([BLOCK_ROWS], float("-inf"), tl.float32)


@triton.jit
def finish(acc, l, m):
    """O = Õ / ℓ and L = (m + log₂ ℓ) / log₂ e; where no key was seen, 0 and −∞."""
    l = tl.where(l == 0, 1.0, l)
    return acc / l[:, None], (m + tl.log2(l)) / LOG2E


@triton.jit
def exp2(
    Q, K, V, O, LSE, q_strides, k_strides, v_strides, o_strides, n_q, n_k, shift, scale,
    heads, group, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head."""
    tiles = tl.cdiv(n_q, BLOCK_ROWS)
    i, head = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    v_head = head_of(V, v_strides, head, heads, group)
    o_head = head_of(O, o_strides, head, heads, 1)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS)
    for j in tl.range(0, n_k, BLOCK_COLS):
        cols = j + tl.arange(0, BLOCK_COLS)
        k = load_tile(k_head, k_strides[2], cols, n_k, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_strides[2], cols, n_k, D, DIMS)
        seen = cols[None, :] <= last[:, None]
        acc, l, m = step(q, k, v, acc, l, m, scale * LOG2E, seen)
    o, lse = finish(acc, l, m)
    store_tile(o_head, o_strides[2], rows, n_q, o, D, DIMS)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s, with powers of two.

    q (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) are fp16, bf16 or fp32;
    o has q's shape and dtype, and L (batch, heads, N_q) is fp32. scale None is τ =
    1/√d. causal True lets row r see the keys 0 .. r + N_k − N_q, and "top-left" 0 .. r.
    A row that sees no key has o = 0 and L = −∞. tile replaces numbers of TILES by name:
    block_rows, block_cols, num_warps, num_stages.
    """
    rows, cols, launch = choose(TILES, q, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols)
    q, scale = positive(q, scale)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    grid = (triton.cdiv(n_q, rows) * batch * heads,)
    exp2[grid](
        q, k, v, o, lse, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], d, padded(d),
        rows, cols, **launch,
    )
    return o, lse
