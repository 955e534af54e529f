"""The two walks of `backward_split` for packed documents, between their bounds.

K and V outside for dK and dV, Q outside for dQ, each block a document's. L in base 2
and δ lie document by document in whole tiles: document b's begin at a multiple of PAD,
(cu[b] // PAD + b) · PAD, so that a tile's last rows are never the next document's.
"""

import triton
import triton.language as tl

from tilewise.kernels.backward_split import TILES, walk_keys, walk_rows
from tilewise.kernels.shared.common import like, load_tile, padded, store_tile
from tilewise.kernels.shared.common_backward import choose, keys_seen, rows_seeing
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
from tilewise.kernels.shared.varlen_rows import delta_kernel

SIZES = "slots", "n_pad", "of_k", "of_q", "heads", "room"  # one kernel for all


@triton.jit(do_not_specialize=SIZES)
def dkdv_kernel(
    Q, K, V, DO, DK, DV, LSE2, DELTA, PLAN, q_strides, k_strides, v_strides, do_strides,
    dk_strides, dv_strides, slots, n_pad, of_k, of_q, scale, heads, room,
    GROUP: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """dK and dV of BLOCK_COLS keys of a document; heads counts those of K and V."""
    program = tl.program_id(0)
    key, n_k, row, n_q, start, number = document(PLAN, slots, program // heads)
    if n_k == 0:
        return
    i, head = turn(program, n_k, n_q, start, heads, 1, room, BLOCK_COLS)
    col = (tl.cdiv(n_k, BLOCK_COLS) - 1 - i) * BLOCK_COLS  # early keys first
    cols = col + tl.arange(0, BLOCK_COLS)
    k_rows, v_rows = (
        rows_of(K, k_strides, head, key),
        rows_of(V, v_strides, head, key),
    )
    k = load_tile(k_rows, k_strides[0], cols, n_k, D, DIMS)  # (B_c, d)
    v = load_tile(v_rows, v_strides[0], cols, n_k, D, DIMS)
    dk = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    dv = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    shift = of_k * n_k - of_q * n_q
    whole = tl.cdiv(n_q, BLOCK_ROWS) * BLOCK_ROWS
    some, every = rows_seeing(col, shift, whole, BLOCK_ROWS, BLOCK_COLS)
    for g in tl.range(GROUP):
        query = head * GROUP + g
        q_rows = rows_of(Q, q_strides, query, row)
        do_rows = rows_of(DO, do_strides, query, row)
        at = query.to(tl.int64) * n_pad + pad_of(row, number)
        dk, dv = walk_rows(
            q_rows, do_rows, LSE2 + at, DELTA + at, q_strides[0], do_strides[0], k, v,
            dk, dv, cols, some, every, n_q, shift, scale, True, D, DIMS, BLOCK_ROWS,
        )
        dk, dv = walk_rows(
            q_rows, do_rows, LSE2 + at, DELTA + at, q_strides[0], do_strides[0], k, v,
            dk, dv, cols, every, n_q, n_q, shift, scale, False, D, DIMS, BLOCK_ROWS,
        )
    dk_rows, dv_rows = (
        rows_of(DK, dk_strides, head, key),
        rows_of(DV, dv_strides, head, key),
    )
    store_tile(dk_rows, dk_strides[0], cols, n_k, scale * dk, D, DIMS)
    store_tile(dv_rows, dv_strides[0], cols, n_k, dv, D, DIMS)


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(
    Q, K, V, DO, DQ, LSE2, DELTA, PLAN, q_strides, k_strides, v_strides, do_strides,
    dq_strides, slots, n_pad, of_k, of_q, scale, heads, room, GROUP: tl.constexpr,
    D: tl.constexpr, DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """dQ of BLOCK_ROWS rows of a document, over the keys that they see."""
    program = tl.program_id(0)
    row, n_q, key, n_k, start, number = document(PLAN, slots, program // heads)
    if n_q == 0:
        return
    i, head = turn(program, n_q, n_k, start, heads, GROUP, room, BLOCK_ROWS)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    q_rows, do_rows = (
        rows_of(Q, q_strides, head, row),
        rows_of(DO, do_strides, head, row),
    )
    k_rows = rows_of(K, k_strides, head // GROUP, key)
    v_rows = rows_of(V, v_strides, head // GROUP, key)
    q = load_tile(q_rows, q_strides[0], rows, n_q, D, DIMS)  # (B_r, d)
    do = load_tile(do_rows, do_strides[0], rows, n_q, D, DIMS)
    at = head.to(tl.int64) * n_pad + pad_of(row, number) + rows
    lse2, delta = tl.load(LSE2 + at)[:, None], tl.load(DELTA + at)[:, None]
    dq = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    shift = of_k * n_k - of_q * n_q
    every, some = keys_seen(i * BLOCK_ROWS, shift, n_k, BLOCK_ROWS, BLOCK_COLS)
    dq = walk_keys(
        k_rows, v_rows, k_strides[0], v_strides[0], q, do, lse2, delta, dq, rows, 0,
        every, n_k, shift, scale, False, D, DIMS, BLOCK_COLS,
    )
    dq = walk_keys(
        k_rows, v_rows, k_strides[0], v_strides[0], q, do, lse2, delta, dq, rows, every,
        some, n_k, shift, scale, True, D, DIMS, BLOCK_COLS,
    )
    dq_rows = rows_of(DQ, dq_strides, head, row)
    store_tile(dq_rows, dq_strides[0], rows, n_q, scale * dq, D, DIMS)


def backward(q, k, v, o, do, lse, cu_q, cu_k, *, dlse=None, scale=None, causal=False,
             dkdv_tile=None, dq_tile=None):
    """dQ, dK, dV from what the forward pass saved, each document by itself.

    q, o, do (total_q, heads, d) and k, v (total_k, key heads, d) have 16 or 32 bits;
    lse and dlse (total_q, heads) are natural, and dlse None is 0; cu_q and cu_k
    (documents + 1) are on the same device. Each number is written once, with the same
    bits every time; rows of no document stay unwritten. A tile is (block_rows,
    block_cols, num_warps, num_stages).
    """
    over_k, over_q = choose(TILES, q, dkdv_tile, dq_tile)
    (q, k, v, o, do), per_row, scale = prepare(
        q, k, v, cu_q, cu_k, o, do, lse, dlse, scale, causal, over_k, over_q
    )
    dq, dk, dv = map(like, (q, k, v))
    (n_q, heads, d), (n_k, kv_heads, _) = q.shape, k.shape
    group, n_pad = heads // kv_heads, per_row[2].shape[1]
    plan_q, slots = plan(cu_q, cu_k, n_q, n_k, over_q[0])
    rows = min(over_q[0], 8192 // padded(d))  # of a round
    delta_kernel[(slots * heads,)](
        o, do, *per_row, plan_q, o.stride()[:2], do.stride()[:2], n_q, slots, n_pad,
        heads, d, padded(d), over_q[0], rows,
    )

    def launch(kernel, spans, slots, heads, room, tile, *tensors):
        block_rows, block_cols, num_warps, num_stages = tile
        kernel[(slots * heads,)](
            *tensors, *per_row[2:], spans, *(x.stride()[:2] for x in tensors), slots,
            n_pad, *shift_factors(causal), scale, heads, room, group, d, padded(d),
            block_rows, block_cols, num_warps=num_warps, num_stages=num_stages,
        )

    over = plan(cu_k, cu_q, n_k, n_q, over_k[1])
    room = room_of(q, group)
    launch(dkdv_kernel, *over, kv_heads, room, over_k, q, k, v, do, dk, dv)
    launch(dq_kernel, plan_q, slots, heads, room_of(k), over_q, q, k, v, do, dq)
    return dq, dk, dv
