"""Windows and score rules for packed documents: the walk of scores.py in each of them.

A window is counted from a document's own diagonal, and dropout, a slope and a sink take
their row, key and entry within the document, whose number is that of an entry of the
batch. So packing changes no number of what each document would have had alone. A block
of rows is found as in varlen.py.
"""

import torch
import triton
import triton.language as tl

from tilewise.kernels.scores import TILES, finish, start, walk
from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    dense,
    like,
    load_tile,
    padded,
    store_tile,
)
from tilewise.kernels.shared.scores import rules, slope_of
from tilewise.kernels.shared.varlen import (
    check_packed,
    document,
    plan,
    room_of,
    rows_of,
    shift_factors,
    turn,
)
from tilewise.kernels.shared.window import ends_of, limits_of, sides, span, wider

COUNTS = "total", "slots", "heads", "group", "room"  # one kernel for all of them
SIZES = *COUNTS, "of_k", "of_q", "left", "right", "seed"


@triton.jit(do_not_specialize=SIZES)
def varlen_score_rows(
    Q, K, V, O, LSE, PLAN, q_strides, k_strides, v_strides, o_strides, total, slots,
    of_k, of_q, left, right, scale, cap, SLOPES, SINKS, drop, seed, rest, heads, group,
    room, D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr,
    DIMS_V: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head of one document; LSE is (heads, total)."""
    program = tl.program_id(0)
    row, n_q, key, n_k, first, number = document(PLAN, slots, program // heads)
    if n_q == 0:
        return
    i, head = turn(program, n_q, n_k, first, heads, group, room, BLOCK_ROWS)
    entry = number * heads + head  # as if documents were entries of a batch
    q_rows = rows_of(Q, q_strides, head, row)
    k_rows = rows_of(K, k_strides, head // group, key)
    v_rows = rows_of(V, v_strides, head // group, key)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    q = load_tile(q_rows, q_strides[0], rows, n_q, D, DIMS)  # (B_r, d)
    slope = slope_of(SLOPES, entry)
    acc, l, m = start(BLOCK_ROWS, DIMS_V)
    if SINKS is not None:
        l, m = l + 1, tl.zeros_like(m) + tl.load(SINKS + head) * LOG2E
    low, high = limits_of(n_q, n_k, left, right, of_k, of_q)
    begin, last = ends_of(rows, low, high, n_k)
    ends = span(i, n_q, n_k, low, high, BLOCK_ROWS, BLOCK_COLS)
    for part in tl.static_range(3):
        acc, l, m = walk(
            q, acc, l, m, k_rows, v_rows, k_strides[0], v_strides[0], rows, begin, last,
            ends[part], ends[part + 1], n_q, n_k, entry, heads, scale * LOG2E,
            n_k - n_q, cap, slope, drop, seed, rest, None, 0, D, DIMS, D_V, DIMS_V,
            BLOCK_COLS, part != 1,
        )
    o, lse = finish(acc, l, m)
    o_rows = rows_of(O, o_strides, head, row)
    store_tile(o_rows, o_strides[0], rows, n_q, o, D_V, DIMS_V)
    at = LSE + head.to(tl.int64) * total + row + rows
    tl.store(at, lse, rows < n_q)


def forward(
    q, k, v, cu_q, cu_k, *, scale=None, causal=False, window=None, softcap=None,
    alibi_slopes=None, sinks=None, dropout_p=0.0, seed=None, **tile,
):
    """o = softmax(S') v and L = log (Σ e^{s'} + e^{sink}), each document by itself.

    q (total_q, heads, d), k (total_k, key heads, d) and v (total_k, key heads, d_v) in
    16 or 32 bits, cu_q and cu_k (documents + 1) on the same device → o (total_q, heads,
    d_v) in q's dtype and L (total_q, heads) in fp32. alibi_slopes are (heads,) or
    (documents, heads). The options are those of `tilewise.kernels.scores`, document by
    document; lengths are treated as in `tilewise.kernels.varlen`.
    """
    rows, cols, launch = choose(TILES, wider(q, v), tile)
    check_packed(q, k, v, cu_q, cu_k, (rows, cols), causal=causal, d_v=True)
    (total, heads, d), (n_k, kv_heads, d_v) = q.shape, v.shape
    front = len(cu_q) - 1, heads
    rule = rules(front, softcap, alibi_slopes, sinks, dropout_p, seed)
    scale = d**-0.5 if scale is None else float(scale)
    q, k, v = dense(q), dense(k), dense(v)
    o = like(q) if d == d_v else q.new_empty(total, heads, d_v)
    lse = q.new_empty(heads, total, dtype=torch.float32)
    spans, slots = plan(cu_q, cu_k, total, n_k, rows)
    varlen_score_rows[(slots * heads,)](
        q, k, v, o, lse, spans, *(x.stride()[:2] for x in (q, k, v, o)), total, slots,
        *shift_factors(causal), *sides(window, total, n_k), scale, *rule, heads,
        heads // kv_heads, room_of(wider(k, v)), d, padded(d), d_v, padded(d_v), rows,
        cols, **launch,
    )
    return o, lse.mT
