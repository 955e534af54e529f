"""FlashAttention-2's order: a block of queries stays, and K and V pass by.

This is Algorithm 1 of FlashAttention-2, arXiv 2307.08691, with one program per block of
B_r rows. O, m and ℓ stay in registers, and O is divided by ℓ once, at the end. They
cross HBM once, while `fa1_order` reads and writes them for every block of keys.
"""

import triton
import triton.language as tl

from tilewise.kernels.shared.common import (
    choose,
    head_of,
    load_tile,
    padded,
    prepare,
    shift,
    store_tile,
)

TILES = {64: (128, 64, 4, 3), 128: (128, 64, 4, 2), 256: (128, 64, 8, 2)}


@triton.jit
def fa2_order(
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
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    acc = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)  # Õ: O times ℓ
    l = tl.zeros([BLOCK_ROWS], tl.float32)
    m = tl.full([BLOCK_ROWS], float("-inf"), tl.float32)

    # --8<-- [start:loop]
    for start in tl.range(0, n_k, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)
        k = load_tile(k_head, k_strides[2], cols, n_k, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_strides[2], cols, n_k, D, DIMS)
        s = scale * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
        seen = cols[None, :] <= last[:, None]
        s = tl.where(seen, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        finite = tl.where(m_new == float("-inf"), 0.0, m_new)  # no key seen yet
        p = tl.exp(s - finite[:, None])
        alpha = tl.exp(m - finite)
        l = alpha * l + tl.sum(p, 1)
        acc = alpha[:, None] * acc
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m = m_new
    # --8<-- [end:loop]

    l = tl.where(l == 0, 1.0, l)  # no key seen: o = 0, lse = m = −∞
    store_tile(head_of(O, o_strides, head, heads, 1), o_strides[2], rows, n_q,
               acc / l[:, None], D, DIMS)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, m + tl.log(l), rows < n_q)


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s, one program per block of rows.

    q (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) are fp16, bf16 or fp32;
    o has q's shape and dtype, and L (batch, heads, N_q) is fp32. scale None is τ =
    1/√d. causal True lets row r see the keys 0 .. r + N_k − N_q, and "top-left" 0 .. r.
    A row that sees no key has o = 0 and L = −∞. tile replaces numbers of TILES by name:
    block_rows, block_cols, num_warps, num_stages.
    """
    rows, cols, launch = choose(TILES, q, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    grid = (triton.cdiv(n_q, rows) * batch * heads,)
    fa2_order[grid](
        q, k, v, o, lse, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], d, padded(d),
        rows, cols, **launch,
    )
    return o, lse
