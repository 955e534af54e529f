"""FlashAttention's order: a block of keys stays, and Q, O, m and ℓ pass by.

This is Algorithm 1 of FlashAttention, arXiv 2205.14135, whose lines the comments name.
S and P never leave the chip. There is one program per head, because every block of keys
updates the same O, m and ℓ, which are read and written N_k / B_c times.
"""

import torch
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

TILES = {128: (128, 128, 8, 1), 256: (64, 64, 8, 1)}


@triton.jit
def fa1_order(
    Q, K, V, O, M, L, q_strides, k_strides, v_strides, o_strides, n_q, n_k, shift,
    scale, heads, group, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One head; O, M and L begin as 0, −∞ and 0 (line 2)."""
    head = tl.program_id(0)
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    v_head = head_of(V, v_strides, head, heads, group)
    o_head = head_of(O, o_strides, head, heads, 1)
    M += head.to(tl.int64) * n_q
    L += head.to(tl.int64) * n_q
    # --8<-- [start:loops]
    for start in tl.range(0, n_k, BLOCK_COLS):  # line 5
        cols = start + tl.arange(0, BLOCK_COLS)
        k = load_tile(k_head, k_strides[2], cols, n_k, D, DIMS)  # line 6: (B_c, d)
        v = load_tile(v_head, v_strides[2], cols, n_k, D, DIMS)
        for first in tl.range(0, n_q, BLOCK_ROWS):  # line 7
            rows = first + tl.arange(0, BLOCK_ROWS)
            last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
            q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # line 8: (B_r, d)
            o = load_tile(o_head, o_strides[2], rows, n_q, D, DIMS).to(tl.float32)
            l = tl.load(L + rows, rows < n_q, 0.0)
            m = tl.load(M + rows, rows < n_q, float("-inf"))
            s = scale * tl.dot(q, k.T, input_precision="ieee")  # line 9: (B_r, B_c)
            seen = cols[None, :] <= last[:, None]
            s = tl.where(seen, s, float("-inf"))
            # lines 10 and 11 with P̃ taken at the new maximum at once: e^{m̃ − m} = 1
            m_new = tl.maximum(m, tl.max(s, 1))
            finite = tl.where(m_new == float("-inf"), 0.0, m_new)  # no key seen yet
            p = tl.exp(s - finite[:, None])
            old = tl.exp(m - finite) * l
            l = old + tl.sum(p, 1)
            pv = tl.dot(p.to(v.dtype), v, input_precision="ieee")
            o = (old[:, None] * o + pv) / tl.where(l == 0, 1.0, l)[:, None]  # line 12
            store_tile(o_head, o_strides[2], rows, n_q, o, D, DIMS)
            tl.store(L + rows, l, rows < n_q)  # line 13
            tl.store(M + rows, m_new, rows < n_q)
        tl.debug_barrier()  # other threads may read these rows for the next keys
    # --8<-- [end:loops]


def forward(q, k, v, *, scale=None, causal=False, kept=torch.float32, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s, one program per head.

    q (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) are fp16, bf16 or fp32;
    o has q's shape and dtype, and L (batch, heads, N_q) is fp32. scale None is τ =
    1/√d. causal True lets row r see the keys 0 .. r + N_k − N_q, and "top-left" 0 .. r.
    A row that sees no key has o = 0 and L = −∞. tile replaces numbers of TILES by name:
    block_rows, block_cols, num_warps, num_stages. kept is the dtype of O in HBM between
    two blocks of keys: 16 bits are half the bytes, and O is rounded for each block.
    """
    rows, cols, launch = choose(TILES, q, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols)
    (_, heads, n_q, d), n_k = q.shape, k.shape[2]
    o = torch.zeros_like(o, dtype=kept)
    m, l = torch.full_like(lse, -torch.inf), torch.zeros_like(lse)
    fa1_order[(lse.shape[:2].numel(),)](
        q, k, v, o, m, l, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], d, padded(d),
        rows, cols, **launch,
    )
    return o.to(q.dtype), m + l.log()
