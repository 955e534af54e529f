"""The two walks of scores_backward.py for packed documents, between their bounds.

dS and its rules are those of one document by itself, and L and δ lie as in
varlen_backward.py. What a row adds to the gradients of its slope and its sink is
written once, and a small kernel adds these up document by document.
"""

import torch
import triton
import triton.language as tl

from tilewise.kernels.scores_backward import NARROW, TILES, tile
from tilewise.kernels.shared.common import LOG2E, like, load_tile, padded, store_tile
from tilewise.kernels.shared.common_backward import choose
from tilewise.kernels.shared.scores import rules, slope_of
from tilewise.kernels.shared.varlen import (
    document,
    pad_of,
    plan,
    prepare,
    room_of,
    rows_of,
    shift_factors,
    turn,
)
from tilewise.kernels.shared.varlen_rows import delta_kernel, summed
from tilewise.kernels.shared.window import (
    ends_of,
    limits_of,
    narrow,
    sides,
    span,
    visible,
    wider,
)

COUNTS = "slots", "n_pad", "total", "heads", "room"  # one kernel for all of them
SIZES = *COUNTS, "of_k", "of_q", "left", "right", "seed"


@triton.jit(do_not_specialize=SIZES)
def dkdv_kernel(
    Q, K, V, DO, DK, DV, LSE2, DELTA, PLAN, q_strides, k_strides, v_strides, do_strides,
    dk_strides, dv_strides, slots, n_pad, of_k, of_q, left, right, scale, cap, SLOPES,
    drop, seed, rest, heads, room, GROUP: tl.constexpr, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dK and dV of BLOCK_COLS keys of a document; heads counts those of K and V."""
    program = tl.program_id(0)
    key, n_k, row, n_q, start, number = document(PLAN, slots, program // heads)
    if n_k == 0:
        return
    i, head = turn(program, n_k, n_q, start, heads, 1, room, BLOCK_COLS)
    j = tl.cdiv(n_k, BLOCK_COLS) - 1 - i  # early keys first
    cols = j * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    k_rows = rows_of(K, k_strides, head, key)
    v_rows = rows_of(V, v_strides, head, key)
    k = load_tile(k_rows, k_strides[0], cols, n_k, D, DIMS)  # (B_c, d)
    v = load_tile(v_rows, v_strides[0], cols, n_k, D_V, DIMS_V)  # (B_c, d_v)
    dk = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    dv = tl.zeros([BLOCK_COLS, DIMS_V], tl.float32)
    low, high = limits_of(n_q, n_k, left, right, of_k, of_q)
    # A key's window of rows: the same span with the limits swapped.
    ends = span(j, n_k, n_q, -high, -low, BLOCK_COLS, BLOCK_ROWS)
    for g in tl.range(GROUP):
        query = head * GROUP + g
        entry = (number * heads + head) * GROUP + g
        q_rows = rows_of(Q, q_strides, query, row)
        do_rows = rows_of(DO, do_strides, query, row)
        at = query.to(tl.int64) * n_pad + pad_of(row, number)
        slope = slope_of(SLOPES, entry)
        for r in tl.range(ends[0], ends[3], BLOCK_ROWS):  # one loop, as there
            rows = r + tl.arange(0, BLOCK_ROWS)
            q = load_tile(q_rows, q_strides[0], rows, n_q, D, DIMS)  # (B_r, d)
            do = load_tile(do_rows, do_strides[0], rows, n_q, D_V, DIMS_V)
            seen = visible(cols, *ends_of(rows, low, high, n_k))
            pz, ds, rate = tile(
                q, k, v, do, rows, cols, tl.load(LSE2 + at + rows),
                tl.load(DELTA + at + rows), entry, heads * GROUP, scale * LOG2E,
                n_k - n_q, cap, slope, drop, seed, rest, seen,
            )
            dv = tl.dot(pz.to(do.dtype).T, do, dv, input_precision="ieee")
            dk = tl.dot((ds * rate).to(q.dtype).T, q, dk, input_precision="ieee")
    dk_rows = rows_of(DK, dk_strides, head, key)
    dv_rows = rows_of(DV, dv_strides, head, key)
    store_tile(dk_rows, dk_strides[0], cols, n_k, scale * dk, D, DIMS)
    store_tile(dv_rows, dv_strides[0], cols, n_k, dv, D_V, DIMS_V)


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(
    Q, K, V, DO, DQ, LSE2, DELTA, PLAN, DSLOPES, SINKS, LSE, DSINKS, q_strides,
    k_strides, v_strides, do_strides, dq_strides, slots, n_pad, total, of_k, of_q, left,
    right, scale, cap, SLOPES, drop, seed, rest, heads, room, GROUP: tl.constexpr,
    D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dQ of a block of rows, and what each row adds to its slope's and sink's."""
    program = tl.program_id(0)
    row, n_q, key, n_k, start, number = document(PLAN, slots, program // heads)
    if n_q == 0:
        return
    i, head = turn(program, n_q, n_k, start, heads, GROUP, room, BLOCK_ROWS)
    entry = number * heads + head
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    q_rows = rows_of(Q, q_strides, head, row)
    do_rows = rows_of(DO, do_strides, head, row)
    k_rows = rows_of(K, k_strides, head // GROUP, key)
    v_rows = rows_of(V, v_strides, head // GROUP, key)
    q = load_tile(q_rows, q_strides[0], rows, n_q, D, DIMS)  # (B_r, d)
    do = load_tile(do_rows, do_strides[0], rows, n_q, D_V, DIMS_V)  # (B_r, d_v)
    at = head.to(tl.int64) * n_pad + pad_of(row, number) + rows
    lse2, delta = tl.load(LSE2 + at), tl.load(DELTA + at)
    slope = slope_of(SLOPES, entry)
    dq = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    dslope = tl.zeros([BLOCK_ROWS], tl.float32)
    low, high = limits_of(n_q, n_k, left, right, of_k, of_q)
    first, last = ends_of(rows, low, high, n_k)
    ends = span(i, n_q, n_k, low, high, BLOCK_ROWS, BLOCK_COLS)
    for part in tl.static_range(3):
        for col in tl.range(ends[part], ends[part + 1], BLOCK_COLS):
            cols = col + tl.arange(0, BLOCK_COLS)
            k = load_tile(k_rows, k_strides[0], cols, n_k, D, DIMS)  # (B_c, d)
            v = load_tile(v_rows, v_strides[0], cols, n_k, D_V, DIMS_V)
            seen = visible(cols, first, last) if part != 1 else None
            _, ds, rate = tile(
                q, k, v, do, rows, cols, lse2, delta, entry, heads, scale * LOG2E,
                n_k - n_q, cap, slope, drop, seed, rest, seen,
            )
            if DSLOPES is not None:
                away = tl.abs(rows[:, None] + (n_k - n_q) - cols[None, :])
                dslope -= tl.sum(ds * away.to(tl.float32), 1)
            dq = tl.dot((ds * rate).to(k.dtype), k, dq, input_precision="ieee")
    dq_rows = rows_of(DQ, dq_strides, head, row)
    store_tile(dq_rows, dq_strides[0], rows, n_q, scale * dq, D, DIMS)
    at = head.to(tl.int64) * total + row + rows
    if DSLOPES is not None:
        tl.store(DSLOPES + at, dslope, rows < n_q)
    if DSINKS is not None:
        s = tl.load(SINKS + head) - tl.load(LSE + at, rows < n_q)
        tl.store(DSINKS + at, -tl.exp2(s * LOG2E) * delta, rows < n_q)


def backward(
    q, k, v, o, do, lse, cu_q, cu_k, *, dlse=None, scale=None, causal=False,
    window=None, softcap=None, alibi_slopes=None, sinks=None, dropout_p=0.0, seed=None,
    dkdv_tile=None, dq_tile=None,
):
    """dQ, dK, dV, and the gradients of alibi_slopes and sinks, or None without them.

    Shapes and options are those of `tilewise.kernels.varlen_scores.forward`, which
    returned o and lse; do is like o and dlse, None for 0, like lse. The gradients of
    slopes and sinks are in fp32 and in their shapes. The same input gives the same
    bits; rows of no document stay unwritten.
    """
    table = NARROW if narrow(causal, window) else TILES
    over_k, over_q = choose(table, wider(q, v), dkdv_tile, dq_tile)
    saved = o, do, lse, dlse, scale, causal
    (q, k, v, o, do), per_row, scale = prepare(
        q, k, v, cu_q, cu_k, *saved, over_k, over_q, d_v=True
    )
    dq, dk, dv = map(like, (q, k, v))
    (n_q, heads, d), (n_k, kv_heads, d_v) = q.shape, v.shape
    group, lse2 = heads // kv_heads, per_row[2]
    front = len(cu_q) - 1, heads
    rule = rules(front, softcap, alibi_slopes, sinks, dropout_p, seed)
    plan_q, slots = plan(cu_q, cu_k, n_q, n_k, over_q[0])
    rows = min(over_q[0], 8192 // padded(d_v))  # of a round
    delta_kernel[(slots * heads,)](
        o, do, *per_row, plan_q, o.stride()[:2], do.stride()[:2], n_q, slots,
        lse2.shape[1], heads, d_v, padded(d_v), over_q[0], rows,
    )

    def launch(kernel, spans, slots, heads, room, tile, *tensors, more=(), rows=()):
        block_rows, block_cols, num_warps, num_stages = tile
        kernel[(slots * heads,)](
            *tensors, *per_row[2:], spans, *more, *(x.stride()[:2] for x in tensors),
            slots, lse2.shape[1], *rows, *shift_factors(causal),
            *sides(window, n_q, n_k), scale, rule.cap, rule.slopes, rule.drop,
            rule.seed, rule.rest, heads, room, group, d, padded(d), d_v, padded(d_v),
            block_rows, block_cols, num_warps=num_warps, num_stages=num_stages,
        )

    over = plan(cu_k, cu_q, n_k, n_q, over_k[1])
    room = room_of(wider(q, v), group)
    launch(dkdv_kernel, *over, kv_heads, room, over_k, q, k, v, do, dk, dv)
    learned = alibi_slopes, sinks
    shares = [None if x is None else torch.empty_like(per_row[0]) for x in learned]
    more = shares[0], rule.sinks, per_row[0], shares[1]
    launch(
        dq_kernel, plan_q, slots, heads, room_of(wider(k, v)), over_q, q, k, v, do, dq,
        more=more, rows=(n_q,),
    )
    return dq, dk, dv, *(summed(x, cu_q, y) for x, y in zip(shares, learned))
