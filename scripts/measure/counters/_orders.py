"""Two Triton kernels that differ in their loops only: K and V outside, or Q outside.

Made for counting what they move, so they are plain: bf16, no mask, N a whole number of
blocks, d a power of two. Source: Algorithm 1 of FlashAttention (arXiv 2205.14135) and
Algorithm 1 of FlashAttention-2 (arXiv 2307.08691, without line 10's stray inverse).
"""

import torch
import triton
import triton.language as tl


@triton.jit
def kv_outer(
    Q, K, V, O, L, M, n, scale, D: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    """Algorithm 1 of FlashAttention, lines 5 to 15, for one head.

    O (bf16), ℓ and m (fp32) are in HBM and begin as 0, 0, −∞ (line 2).
    """
    head = tl.program_id(0).to(tl.int64) * n
    d = tl.arange(0, D)
    for j in tl.range(0, n, COLS):  # line 5
        cols = head + j + tl.arange(0, COLS)
        kv = cols[:, None] * D + d[None, :]  # (B_c, d)
        k, v = tl.load(K + kv), tl.load(V + kv)  # line 6
        for i in tl.range(0, n, ROWS):  # line 7
            rows = head + i + tl.arange(0, ROWS)
            qo = rows[:, None] * D + d[None, :]  # (B_r, d)
            q, o = tl.load(Q + qo), tl.load(O + qo).to(tl.float32)  # line 8
            l, m = tl.load(L + rows), tl.load(M + rows)
            s = tl.dot(q, k.T) * scale  # line 9: (B_r, B_c)
            m_new = tl.maximum(m, tl.max(s, 1))  # lines 10, 11, with m̃ = m_new
            p = tl.exp(s - m_new[:, None])
            l_old = tl.exp(m - m_new) * l
            l_new = l_old + tl.sum(p, 1)
            o = l_old[:, None] * o + tl.dot(p.to(v.dtype), v)  # line 12
            tl.store(O + qo, (o / l_new[:, None]).to(O.dtype.element_ty))
            tl.store(L + rows, l_new)  # line 13
            tl.store(M + rows, m_new)
        tl.debug_barrier()  # other threads may load what was stored in this round


@triton.jit
def q_outer(
    Q, K, V, O, L, n, scale, D: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    """Algorithm 1 of FlashAttention-2, lines 4 to 15, for one block of rows."""
    head = tl.program_id(1).to(tl.int64) * n
    d = tl.arange(0, D)
    rows = head + tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    qo = rows[:, None] * D + d[None, :]
    q = tl.load(Q + qo)  # line 4: (B_r, d)
    o = tl.zeros((ROWS, D), tl.float32)  # line 5
    l = tl.zeros((ROWS,), tl.float32)
    m = tl.full((ROWS,), float("-inf"), tl.float32)
    for j in tl.range(0, n, COLS):  # line 6
        cols = head + j + tl.arange(0, COLS)
        kv = cols[:, None] * D + d[None, :]  # (B_c, d)
        k, v = tl.load(K + kv), tl.load(V + kv)  # line 7
        s = tl.dot(q, k.T) * scale  # line 8: (B_r, B_c)
        m_new = tl.maximum(m, tl.max(s, 1))  # line 9
        p, alpha = tl.exp(s - m_new[:, None]), tl.exp(m - m_new)
        l = alpha * l + tl.sum(p, 1)
        o = alpha[:, None] * o + tl.dot(p.to(v.dtype), v)  # line 10
        m = m_new
    o = o / l[:, None]  # line 12
    tl.store(O + qo, o.to(O.dtype.element_ty))  # line 14
    tl.store(L + rows, m + tl.log(l))  # lines 13, 15


def start(order, q):
    """What a call needs beside q, k, v: o and L, or o, ℓ, m of Algorithm 1, line 2."""
    one = torch.empty(q.shape[:-1], device=q.device, dtype=torch.float32)
    if order == "q-outer":
        return torch.empty_like(q), one
    return torch.zeros_like(q), one.zero_(), torch.full_like(one, -torch.inf)


def loops(order, q, k, v, state, rows, cols, warps):
    """o = softmax(q kᵀ / √d) v for (batch, heads, N, d), in one kernel of that order.

    state is start(order, q); o is its first tensor, written in place. A second call
    with K, V outer sees all keys twice, which leaves o what it is.
    Raises ValueError where N is no whole number of blocks.
    """
    batch, heads, n, d = q.shape
    if n % rows or n % cols:
        raise ValueError(f"N = {n} is no whole number of blocks of {rows} and {cols}")
    sizes = {"n": n, "scale": d**-0.5, "D": d, "ROWS": rows, "COLS": cols}
    how = {"num_warps": warps, "num_stages": 2}
    if order == "q-outer":
        q_outer[n // rows, batch * heads](q, k, v, *state, **sizes, **how)
    else:
        kv_outer[(batch * heads,)](q, k, v, *state, **sizes, **how)
    return state[0]
