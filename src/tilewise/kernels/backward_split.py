"""The backward pass in two walks: K and V outside for dK and dV, Q outside for dQ.

P = e^{S − L}   dV = Pᵀ dO   dS = P ∘ (dO Vᵀ − δ)   dQ = τ dS K   dK = τ dSᵀ Q

There are two walks, because one would leave dQ to atomics and their changing order.
A tile costs seven products instead of five, and the bits are the same every time.
"""

import triton
import triton.language as tl

from tilewise.kernels.shared.common import (
    LOG2E,
    head_of,
    like,
    load_tile,
    padded,
    shift,
    store_tile,
)
from tilewise.kernels.shared.common_backward import (
    choose,
    keys_seen,
    prepare,
    row_numbers,
    rows_seeing,
)

TILES = {  # dK and dV, dQ
    64: ((64, 64, 4, 2), (128, 64, 8, 3)),
    128: ((128, 64, 8, 2), (128, 64, 8, 3)),
    256: ((32, 64, 8, 1), (128, 32, 8, 2)),
}
SIZES = "N_Q", "N_K", "SHIFT"  # one compiled kernel for all lengths


@triton.jit
def delta_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, o_strides, do_strides, N_Q, N_PAD,
    HEADS: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr, ROWS: tl.constexpr,
):
    """δ and L in base 2 of ROWS rows: O is read here and nowhere else."""
    tiles = tl.cdiv(N_PAD, ROWS)
    row, head = tl.program_id(0) % tiles * ROWS, tl.program_id(0) // tiles
    rows = row + tl.arange(0, ROWS)
    o_head = head_of(O, o_strides, head, HEADS, 1)
    do_head = head_of(DO, do_strides, head, HEADS, 1)
    o = load_tile(o_head, o_strides[2], rows, N_Q, D, DIMS).to(tl.float32)
    do = load_tile(do_head, do_strides[2], rows, N_Q, D, DIMS).to(tl.float32)
    row_numbers(o, do, LSE, DLSE, LSE2, DELTA, head, row, N_Q, N_PAD, ROWS)


@triton.jit(do_not_specialize=SIZES)
def dkdv_kernel(
    Q, K, V, DO, DK, DV, LSE2, DELTA, q_strides, k_strides, v_strides, do_strides,
    dk_strides, dv_strides, N_Q, N_K, N_PAD, SHIFT, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dK and dV of BLOCK_COLS keys: every row of the GROUP heads that share them."""
    tiles = tl.cdiv(N_K, BLOCK_COLS)
    col = tl.program_id(0) % tiles * BLOCK_COLS  # most rows see early keys: these first
    first = tl.program_id(0) // tiles * GROUP  # head
    cols = col + tl.arange(0, BLOCK_COLS)
    k_head = head_of(K, k_strides, first, HEADS, GROUP)
    v_head = head_of(V, v_strides, first, HEADS, GROUP)
    k = load_tile(k_head, k_strides[2], cols, N_K, D, DIMS)  # (B_c, d)
    v = load_tile(v_head, v_strides[2], cols, N_K, D, DIMS)
    dk = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    dv = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    # Keys past the end fill rows of dK and dV that are not stored: no mask for them.
    some, every = rows_seeing(col, SHIFT, N_PAD, BLOCK_ROWS, BLOCK_COLS)
    for g in tl.range(GROUP):
        head = first + g
        q_head = head_of(Q, q_strides, head, HEADS, 1)
        do_head = head_of(DO, do_strides, head, HEADS, 1)
        at = head.to(tl.int64) * N_PAD
        dk, dv = walk_rows(
            q_head, do_head, LSE2 + at, DELTA + at, q_strides[2], do_strides[2], k, v,
            dk, dv, cols, some, every, N_Q, SHIFT, scale, True, D, DIMS, BLOCK_ROWS,
        )
        dk, dv = walk_rows(
            q_head, do_head, LSE2 + at, DELTA + at, q_strides[2], do_strides[2], k, v,
            dk, dv, cols, every, N_Q, N_Q, SHIFT, scale, False, D, DIMS, BLOCK_ROWS,
        )
    dk_head = head_of(DK, dk_strides, first, HEADS, GROUP)
    dv_head = head_of(DV, dv_strides, first, HEADS, GROUP)
    store_tile(dk_head, dk_strides[2], cols, N_K, scale * dk, D, DIMS)
    store_tile(dv_head, dv_strides[2], cols, N_K, dv, D, DIMS)


@triton.jit
def walk_rows(
    q_head, do_head, LSE2, DELTA, q_stride, do_stride, k, v, dk, dv, cols, start, end,
    N_Q, SHIFT, scale, MASKED: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
):
    """Add to dK and dV of a block of keys what rows start .. end of a head bring."""
    for row in tl.range(start, end, BLOCK_ROWS):
        rows = row + tl.arange(0, BLOCK_ROWS)
        q = load_tile(q_head, q_stride, rows, N_Q, D, DIMS)  # (B_r, d)
        do = load_tile(do_head, do_stride, rows, N_Q, D, DIMS)
        # --8<-- [start:tile]
        s = scale * LOG2E * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
        if MASKED:
            s = tl.where(cols[None, :] <= rows[:, None] + SHIFT, s, float("-inf"))
        p = tl.exp2(s - tl.load(LSE2 + rows)[:, None])
        dv = tl.dot(p.to(do.dtype).T, do, dv, input_precision="ieee")
        dp = tl.dot(do, v.T, input_precision="ieee")
        ds = p * (dp - tl.load(DELTA + rows)[:, None])
        dk = tl.dot(ds.to(q.dtype).T, q, dk, input_precision="ieee")
        # --8<-- [end:tile]
    return dk, dv


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(
    Q, K, V, DO, DQ, LSE2, DELTA, q_strides, k_strides, v_strides, do_strides,
    dq_strides, N_Q, N_K, N_PAD, SHIFT, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dQ of BLOCK_ROWS rows, over the keys that they see."""
    tiles = tl.cdiv(N_Q, BLOCK_ROWS)
    row = (tiles - 1 - tl.program_id(0) % tiles) * BLOCK_ROWS  # late rows see most keys
    head = tl.program_id(0) // tiles
    rows = row + tl.arange(0, BLOCK_ROWS)
    q_head = head_of(Q, q_strides, head, HEADS, 1)
    do_head = head_of(DO, do_strides, head, HEADS, 1)
    k_head = head_of(K, k_strides, head, HEADS, GROUP)
    v_head = head_of(V, v_strides, head, HEADS, GROUP)
    q = load_tile(q_head, q_strides[2], rows, N_Q, D, DIMS)  # (B_r, d)
    do = load_tile(do_head, do_strides[2], rows, N_Q, D, DIMS)
    at = head.to(tl.int64) * N_PAD + rows
    lse2, delta = tl.load(LSE2 + at)[:, None], tl.load(DELTA + at)[:, None]
    dq = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    every, some = keys_seen(row, SHIFT, N_K, BLOCK_ROWS, BLOCK_COLS)
    dq = walk_keys(
        k_head, v_head, k_strides[2], v_strides[2], q, do, lse2, delta, dq, rows, 0,
        every, N_K, SHIFT, scale, False, D, DIMS, BLOCK_COLS,
    )
    dq = walk_keys(
        k_head, v_head, k_strides[2], v_strides[2], q, do, lse2, delta, dq, rows, every,
        some, N_K, SHIFT, scale, True, D, DIMS, BLOCK_COLS,
    )
    dq_head = head_of(DQ, dq_strides, head, HEADS, 1)
    store_tile(dq_head, dq_strides[2], rows, N_Q, scale * dq, D, DIMS)


@triton.jit
def walk_keys(
    k_head, v_head, k_stride, v_stride, q, do, lse2, delta, dq, rows, start, end, N_K,
    SHIFT, scale, MASKED: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """Add to dQ of a block of rows what keys start .. end bring."""
    for col in tl.range(start, end, BLOCK_COLS):
        cols = col + tl.arange(0, BLOCK_COLS)
        k = load_tile(k_head, k_stride, cols, N_K, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_stride, cols, N_K, D, DIMS)
        s = scale * LOG2E * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
        if MASKED:
            seen = tl.minimum(rows + SHIFT + 1, N_K)  # keys that a row sees
            s = tl.where(cols[None, :] < seen[:, None], s, float("-inf"))
        p = tl.exp2(s - lse2)
        ds = p * (tl.dot(do, v.T, input_precision="ieee") - delta)
        dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee")
    return dq


def backward(q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False,
             dkdv_tile=None, dq_tile=None):
    """dQ, dK, dV from what the forward pass saved; P is computed again, tile by tile.

    q, o, do (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) have 16 or 32
    bits; lse and dlse (batch, heads, N_q) are natural, and dlse None is 0. A row that
    saw no key adds nothing. A tile is (block_rows, block_cols, num_warps, num_stages).
    """
    outer_k, outer_q = choose(TILES, q, dkdv_tile, dq_tile)
    inputs = q, k, v, o, do, lse, dlse, scale, causal
    (q, k, v, o, do), per_row, scale = prepare(*inputs, outer_k, outer_q)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), n_k, n_pad = q.shape, k.shape[2], per_row[3].shape[2]

    def launch(kernel, outer, block, tile, *tensors):
        block_rows, block_cols, num_warps, num_stages = tile
        kernel[(outer.shape[:2].numel() * triton.cdiv(outer.shape[2], block),)](
            *tensors, *per_row[2:], *(x.stride()[:3] for x in tensors), n_q, n_k, n_pad,
            shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], d, padded(d),
            block_rows, block_cols, num_warps=num_warps, num_stages=num_stages,
        )

    rows = 8192 // padded(d)  # a program's share
    delta_kernel[(batch * heads * triton.cdiv(n_pad, rows),)](
        o, do, *per_row, o.stride()[:3], do.stride()[:3], n_q, n_pad, heads, d,
        padded(d), rows,
    )
    launch(dkdv_kernel, k, outer_k[1], outer_k, q, k, v, do, dk, dv)
    launch(dq_kernel, q, outer_q[0], outer_q, q, k, v, do, dq)
    return dq, dk, dv
