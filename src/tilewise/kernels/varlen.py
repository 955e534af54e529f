"""`causal` for packed documents: the walk goes from where a document begins to its end.

A row of document b sees keys of document b. So a block of rows belongs to one document,
and its walk over keys is that of `causal`, on pointers moved to the document's first
rows, with the document's lengths. Nothing outside of it is loaded or stored.
"""

import torch
import triton
import triton.language as tl

from tilewise.kernels.causal import TILES, finish, start, walk
from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    dense,
    like,
    load_tile,
    padded,
    positive,
    store_tile,
)
from tilewise.kernels.shared.order import reach
from tilewise.kernels.shared.varlen import (
    check_packed,
    document,
    plan,
    room_of,
    rows_of,
    shift_factors,
    turn,
)

SIZES = "total", "slots", "of_k", "of_q", "heads", "group", "room"


@triton.jit(do_not_specialize=SIZES)  # one compiled kernel for all of them
def varlen_rows(
    Q, K, V, O, LSE, PLAN, q_strides, k_strides, v_strides, o_strides, total, slots,
    of_k, of_q, scale, heads, group, room, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head of one document; LSE is (heads, total)."""
    program = tl.program_id(0)
    row, n_q, key, n_k, first, _ = document(PLAN, slots, program // heads)
    if n_q == 0:
        return
    i, head = turn(program, n_q, n_k, first, heads, group, room, BLOCK_ROWS)
    q_rows = rows_of(Q, q_strides, head, row)
    k_rows = rows_of(K, k_strides, head // group, key)
    v_rows = rows_of(V, v_strides, head // group, key)
    o_rows = rows_of(O, o_strides, head, row)
    shift = of_k * n_k - of_q * n_q
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
    q = load_tile(q_rows, q_strides[0], rows, n_q, D, DIMS)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS)
    full, end = reach(i, n_q, n_k, shift, BLOCK_ROWS, BLOCK_COLS)
    acc, l, m = walk(
        q, acc, l, m, k_rows, v_rows, k_strides[0], v_strides[0], last, 0, full, n_k,
        scale * LOG2E, D, DIMS, BLOCK_COLS, False,
    )
    acc, l, m = walk(
        q, acc, l, m, k_rows, v_rows, k_strides[0], v_strides[0], last, full, end, n_k,
        scale * LOG2E, D, DIMS, BLOCK_COLS, True,
    )
    o, lse = finish(acc, l, m)
    store_tile(o_rows, o_strides[0], rows, n_q, o, D, DIMS)
    at = LSE + head.to(tl.int64) * total + row + rows
    tl.store(at, lse, rows < n_q)


def forward(q, k, v, cu_q, cu_k, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L, each document by itself.

    q (total_q, heads, d), k, v (total_k, key heads, d) in 16 or 32 bits, cu_q and cu_k
    (documents + 1) on the same device → o like q and L (total_q, heads) in fp32. causal
    is per document. The lengths are not read by the host: rows of no document stay
    unwritten. tile: block_rows, block_cols, num_warps, num_stages.
    """
    rows, cols, launch = choose(TILES, q, tile)
    check_packed(q, k, v, cu_q, cu_k, (rows, cols), causal=causal)
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    q, scale = positive(q, scale)
    q, k, v = dense(q), dense(k), dense(v)
    o, lse = like(q), q.new_empty(q.shape[1::-1], dtype=torch.float32)
    (total, heads, d), kv_heads = q.shape, k.shape[1]
    spans, slots = plan(cu_q, cu_k, total, k.shape[0], rows)
    varlen_rows[(slots * heads,)](
        q, k, v, o, lse, spans, *(x.stride()[:2] for x in (q, k, v, o)), total, slots,
        *shift_factors(causal), scale, heads, heads // kv_heads, room_of(k), d,
        padded(d), rows, cols, **launch,
    )
    return o, lse.mT
