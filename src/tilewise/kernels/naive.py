"""Standard attention: three kernels, with S and P written out in HBM.

This is Algorithm 0 of FlashAttention, arXiv 2205.14135. S and P are both written and
read, which moves 4 N_q N_k numbers per head through HBM, while q, k, v and o together
have 4 N d. S and P have q's dtype, as in PyTorch's own standard attention.
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

TILES = {128: (128, 64, 4, 3), 256: (64, 64, 4, 2)}


@triton.jit
def scores(
    Q, K, S, q_strides, k_strides, n_q, n_k, shift, scale, heads, group,
    D: tl.constexpr, DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """S = τ Q Kᵀ, one tile per program, with −∞ where a row may not see a key."""
    tiles_rows, tiles_cols = tl.cdiv(n_q, BLOCK_ROWS), tl.cdiv(n_k, BLOCK_COLS)
    j, rest = tl.program_id(0) % tiles_cols, tl.program_id(0) // tiles_cols
    i, head = rest % tiles_rows, rest // tiles_rows
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    cols = j * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    k = load_tile(k_head, k_strides[2], cols, n_k, D, DIMS)  # (B_c, d)
    s = scale * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
    s = tl.where(cols[None, :] <= rows[:, None] + shift, s, float("-inf"))
    line = S + (head.to(tl.int64) * n_q + rows.to(tl.int64)) * n_k  # row by row
    there = (rows[:, None] < n_q) & (cols[None, :] < n_k)
    tl.store(line[:, None] + cols[None, :], s.to(S.dtype.element_ty), there)


@triton.jit
def softmax(S, P, LSE, n_k, COLS: tl.constexpr):
    """P = e^{S − m} / ℓ and L = m + ln ℓ: one row per program, in registers."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, COLS)
    there = cols < n_k
    s = tl.load(S + row * n_k + cols, there, float("-inf")).to(tl.float32)
    m = tl.max(s, 0)
    e = tl.exp(s - tl.where(m == float("-inf"), 0.0, m))
    l = tl.sum(e, 0)
    l = tl.where(l == 0, 1.0, l)  # no key seen: P = 0, L = m = −∞
    tl.store(P + row * n_k + cols, (e / l).to(P.dtype.element_ty), there)
    tl.store(LSE + row, m + tl.log(l))


@triton.jit
def weighted(
    P, V, O, v_strides, o_strides, n_q, n_k, heads, group, D: tl.constexpr,
    DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """O = P V, one block of rows per program."""
    tiles = tl.cdiv(n_q, BLOCK_ROWS)
    i, head = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    v_head = head_of(V, v_strides, head, heads, group)
    o_head = head_of(O, o_strides, head, heads, 1)
    line = P + (head.to(tl.int64) * n_q + rows.to(tl.int64)) * n_k
    o = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    for start in tl.range(0, n_k, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)
        there = (rows[:, None] < n_q) & (cols[None, :] < n_k)
        p = tl.load(line[:, None] + cols[None, :], there, 0.0)  # (B_r, B_c)
        v = load_tile(v_head, v_strides[2], cols, n_k, D, DIMS)  # (B_c, d)
        o = tl.dot(p, v, o, input_precision="ieee")
    store_tile(o_head, o_strides[2], rows, n_q, o, D, DIMS)


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s, with S and P in HBM.

    q (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) are fp16, bf16 or fp32;
    o has q's shape and dtype, and L (batch, heads, N_q) is fp32. scale None is τ =
    1/√d. causal True lets row r see the keys 0 .. r + N_k − N_q, and "top-left" 0 .. r.
    A row that sees no key has o = 0 and L = −∞. tile replaces numbers of TILES by name:
    block_rows, block_cols, num_warps, num_stages.
    """
    rows, cols, launch = choose(TILES, q, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    s = q.new_empty(batch, heads, n_q, n_k)
    p = s.new_empty(s.shape)
    q_, k_, v_, o_ = (x.stride()[:3] for x in (q, k, v, o))
    shared = heads, heads // k.shape[1], d, padded(d), rows, cols
    blocks = triton.cdiv(n_q, rows) * batch * heads
    reach = shift(causal, n_q, n_k)
    scores[(blocks * triton.cdiv(n_k, cols),)](
        q, k, s, q_, k_, n_q, n_k, reach, scale, *shared, **launch
    )
    width = triton.next_power_of_2(n_k)
    warps = min(max(width // 1024, 4), 32)  # at most 32 numbers per thread up to 32k
    softmax[(batch * heads * n_q,)](s, p, lse, n_k, width, num_warps=warps)
    weighted[(blocks,)](p, v, o, v_, o_, n_q, n_k, *shared, **launch)
    return o, lse
