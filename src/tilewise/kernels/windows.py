"""Sliding windows: `causal` with a beginning for each block of rows as well as an end.

Row r sees the keys r + low .. r + high. A block of rows therefore skips the tiles
before the window of its first row, masks the few that the window cuts, and computes the
tiles between them without a mask. The cost follows the tiles that are visited, about N
(left + right + B_r) instead of N². Values may have another dimension than keys here.
"""

import triton
import triton.language as tl

from tilewise.kernels.exp2 import finish, start, step
from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    head_of,
    load_tile,
    padded,
    positive,
    prepare,
    store_tile,
)
from tilewise.kernels.shared.order import crew_of, longest_first
from tilewise.kernels.shared.window import ends_of, limits, span, visible, wider

TILES = {64: (64, 64, 4, 3), 128: (64, 64, 4, 3), 256: (64, 64, 8, 2)}
SIZES = "low", "high", "heads", "total", "crew"  # one compiled kernel for all of them


@triton.jit
def walk(
    q, acc, l, m, k_head, v_head, k_stride, v_stride, first, last, lo, hi, n_k,
    tau2, D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_COLS: tl.constexpr, MASKED: tl.constexpr,
):
    """Take in the tiles from key lo to key hi, with the mask or without."""
    for j in tl.range(lo, hi, BLOCK_COLS):
        cols = j + tl.arange(0, BLOCK_COLS)
        n = n_k if MASKED else None  # None: all of the tile's rows are there
        k = load_tile(k_head, k_stride, cols, n, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_stride, cols, n, D_V, DIMS_V)  # (B_c, d_v)
        seen = None
        if MASKED:
            seen = visible(cols, first, last)
        acc, l, m = step(q, k, v, acc, l, m, tau2, seen)
    return acc, l, m


@triton.jit(do_not_specialize=SIZES)
def window_rows(
    Q, K, V, O, LSE, q_strides, k_strides, v_strides, o_strides, n_q, n_k, low, high,
    scale, heads, group, total, crew, D: tl.constexpr, DIMS: tl.constexpr,
    D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head."""
    i, head = longest_first(tl.program_id(0), tl.cdiv(n_q, BLOCK_ROWS), total, crew)
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    v_head = head_of(V, v_strides, head, heads, group)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS_V)
    first, last = ends_of(rows, low, high, n_k)
    ends = span(i, n_q, n_k, low, high, BLOCK_ROWS, BLOCK_COLS)
    for part in tl.static_range(3):
        acc, l, m = walk(
            q, acc, l, m, k_head, v_head, k_strides[2], v_strides[2], first, last,
            ends[part], ends[part + 1], n_k, scale * LOG2E, D, DIMS, D_V, DIMS_V,
            BLOCK_COLS, part != 1,
        )
    o, lse = finish(acc, l, m)
    o_head = head_of(O, o_strides, head, heads, 1)
    store_tile(o_head, o_strides[2], rows, n_q, o, D_V, DIMS_V)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)


def forward(q, k, v, *, scale=None, causal=False, window=None, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s over the keys of each row's window.

    q (batch, heads, N_q, d), k (batch, key heads, N_k, d) and v (…, N_k, d_v) are fp16,
    bf16 or fp32; o is (batch, heads, N_q, d_v) in q's dtype, and L (batch, heads, N_q)
    is fp32. window = (left, right): row r sees the keys r + N_k − N_q − left .. r +
    N_k − N_q + right, as far as causal lets it; None is no limit. The rest is as in
    `tilewise.kernels.causal`.
    """
    rows, cols, launch = choose(TILES, wider(q, v), tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols, d_v=True)
    q, scale = positive(q, scale)
    (batch, heads, n_q, d), (n_k, d_v) = q.shape, v.shape[2:]
    grid = (triton.cdiv(n_q, rows) * batch * heads,)
    window_rows[grid](
        q, k, v, o, lse, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        *limits(causal, window, n_q, n_k), scale, heads, heads // k.shape[1],
        batch * heads, crew_of(q, k), d, padded(d), d_v, padded(d_v), rows, cols,
        **launch,
    )
    return o, lse
