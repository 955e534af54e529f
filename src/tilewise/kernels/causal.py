"""Only the tiles that matter: it skips empty ones and masks only partial ones.

Row r sees the keys 0 .. r + shift. Therefore a block of rows first meets the tiles that
all of its rows see completely, where no mask is computed, then the few tiles on the
diagonal or at the ragged end, and then it stops. This saves half of the work of a
causal square. The blocks now differ in length, and the longest start first, so that no
processor starts a long one at the end.
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
    shift,
    store_tile,
)
from tilewise.kernels.shared.order import crew_of, longest_first, reach

TILES = {64: (128, 64, 8, 3), 128: (128, 64, 4, 2), 256: (128, 64, 8, 2)}
SIZES = "shift", "heads", "total", "crew"  # one compiled kernel for all of them


@triton.jit
def walk(
    q, acc, l, m, k_head, v_head, k_stride, v_stride, last, lo, hi, n_k, tau2,
    D: tl.constexpr, DIMS: tl.constexpr, BLOCK_COLS: tl.constexpr, MASKED: tl.constexpr,
):
    """Take in the tiles from key lo to key hi, with the mask or without."""
    for j in tl.range(lo, hi, BLOCK_COLS):
        cols = j + tl.arange(0, BLOCK_COLS)
        n = n_k if MASKED else None  # None: all of the tile's rows are there
        k = load_tile(k_head, k_stride, cols, n, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_stride, cols, n, D, DIMS)
        seen = None
        if MASKED:
            seen = cols[None, :] <= last[:, None]
        acc, l, m = step(q, k, v, acc, l, m, tau2, seen)
    return acc, l, m


@triton.jit(do_not_specialize=SIZES)
def causal_rows(
    Q, K, V, O, LSE, q_strides, k_strides, v_strides, o_strides, n_q, n_k, shift, scale,
    heads, group, total, crew, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head."""
    tiles = tl.cdiv(n_q, BLOCK_ROWS)
    i, head = longest_first(tl.program_id(0), tiles, total, crew)
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    v_head = head_of(V, v_strides, head, heads, group)
    o_head = head_of(O, o_strides, head, heads, 1)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS)
    full, end = reach(i, n_q, n_k, shift, BLOCK_ROWS, BLOCK_COLS)
    acc, l, m = walk(
        q, acc, l, m, k_head, v_head, k_strides[2], v_strides[2], last, 0, full, n_k,
        scale * LOG2E, D, DIMS, BLOCK_COLS, False,
    )
    acc, l, m = walk(
        q, acc, l, m, k_head, v_head, k_strides[2], v_strides[2], last, full, end, n_k,
        scale * LOG2E, D, DIMS, BLOCK_COLS, True,
    )
    o, lse = finish(acc, l, m)
    store_tile(o_head, o_strides[2], rows, n_q, o, D, DIMS)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s, without the empty tiles.

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
    causal_rows[grid](
        q, k, v, o, lse, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], batch * heads,
        crew_of(q, k), d, padded(d), rows, cols, **launch,
    )
    return o, lse
