"""The backward pass on tensor descriptors, with S and dP turned on their side.

Sᵀ = K Qᵀ   Pᵀ = e^{Sᵀ − L}   dPᵀ = V dOᵀ   dSᵀ = Pᵀ ∘ (dPᵀ − δ)
dV = Pᵀ dO   dK = τ dSᵀ Q   dQ = τ dS K

Three things change from `backward_split`. One instruction of the TMA unit
fetches a tile. It knows the tensor's shape: what lies outside reads as 0 and is not
written, so that no thread keeps addresses or a mask, and larger tiles fit without
spills. Pᵀ and dSᵀ, the left factors of dV and dK, are made on their side: the tensor
cores take them from the registers where they are, not by way of shared memory. And dQ
goes first and makes δ for both walks, from the dO that it has on chip anyway.
"""

import triton
import triton.language as tl

from tilewise.kernels.host.descriptor import describable, describe
from tilewise.kernels.host.launch import launch
from tilewise.kernels.shared.common import LOG2E, like, padded, shift
from tilewise.kernels.shared.common_backward import (
    choose,
    keys_seen,
    prepare,
    row_numbers,
    rows_seeing,
)

TILES = {  # dK and dV, dQ
    64: ((128, 64, 4, 2), (128, 64, 8, 3)),
    128: ((64, 64, 4, 2), (128, 64, 8, 3)),
    256: ((32, 64, 8, 2), (128, 32, 8, 2)),
}
SIZES = "N_Q", "N_K", "N_PAD", "SHIFT"  # one compiled kernel for all lengths
GIVEN = "LSE", "DLSE"  # may begin at any address


@triton.jit
def fetch(X, head, start, HEADS: tl.constexpr, ROWS: tl.constexpr,
          DIMS: tl.constexpr):
    """Rows start .. start + ROWS of a head, (ROWS, DIMS); head counts through all."""
    return X.load([head // HEADS, head % HEADS, start, 0]).reshape(ROWS, DIMS)


@triton.jit
def put(X, head, start, x, HEADS: tl.constexpr, ROWS: tl.constexpr,
        DIMS: tl.constexpr):
    """x (ROWS, DIMS), rounded, to where fetch would find it, as far as that exists."""
    x = x.to(X.dtype).reshape(1, 1, ROWS, DIMS)
    X.store([head // HEADS, head % HEADS, start, 0], x)


@triton.jit(do_not_specialize=SIZES, do_not_specialize_on_alignment=GIVEN)
def dq_kernel(
    Q, DO, O, DQ, K, V, LSE, DLSE, LSE2, DELTA, N_Q, N_K, N_PAD, SHIFT, scale,
    HEADS: tl.constexpr, GROUP: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dQ of BLOCK_ROWS rows, over the keys that they see; δ and L in base 2 first."""
    N_PAD = tl.multiple_of(N_PAD, 128)
    tiles = tl.cdiv(N_PAD, BLOCK_ROWS)  # every row of L and δ is written
    row = (tiles - 1 - tl.program_id(0) % tiles) * BLOCK_ROWS  # late rows see most keys
    head = tl.program_id(0) // tiles
    rows = row + tl.arange(0, BLOCK_ROWS)
    q = fetch(Q, head, row, HEADS, BLOCK_ROWS, DIMS)  # (B_r, d)
    do = fetch(DO, head, row, HEADS, BLOCK_ROWS, DIMS)
    o = fetch(O, head, row, HEADS, BLOCK_ROWS, DIMS)
    lse2, delta = row_numbers(
        o.to(tl.float32), do.to(tl.float32), LSE, DLSE, LSE2, DELTA, head, row, N_Q,
        N_PAD, BLOCK_ROWS,
    )
    dq = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    every, some = keys_seen(row, SHIFT, N_K, BLOCK_ROWS, BLOCK_COLS)
    dq = walk_keys(
        K, V, q, do, lse2, delta, dq, head // GROUP, rows, 0, every, N_K, SHIFT, scale,
        False, HEADS // GROUP, DIMS, BLOCK_COLS,
    )
    dq = walk_keys(
        K, V, q, do, lse2, delta, dq, head // GROUP, rows, every, some, N_K, SHIFT,
        scale, True, HEADS // GROUP, DIMS, BLOCK_COLS,
    )
    put(DQ, head, row, scale * dq, HEADS, BLOCK_ROWS, DIMS)


@triton.jit
def walk_keys(
    K, V, q, do, lse2, delta, dq, kv_head, rows, start, end, N_K, SHIFT, scale,
    MASKED: tl.constexpr, KV_HEADS: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """Add to dQ of a block of rows what keys start .. end bring."""
    for col in tl.range(start, end, BLOCK_COLS):
        k = fetch(K, kv_head, col, KV_HEADS, BLOCK_COLS, DIMS)  # (B_c, d)
        v = fetch(V, kv_head, col, KV_HEADS, BLOCK_COLS, DIMS)
        s = scale * LOG2E * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
        if MASKED:
            seen = tl.minimum(rows + SHIFT + 1, N_K)  # keys that a row sees
            cols = col + tl.arange(0, BLOCK_COLS)
            s = tl.where(cols[None, :] < seen[:, None], s, float("-inf"))
        p = tl.exp2(s - lse2[:, None])
        ds = p * (tl.dot(do, v.T, input_precision="ieee") - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee")
    return dq


@triton.jit(do_not_specialize=SIZES)
def dkdv_kernel(
    Q, DO, K, V, DK, DV, LSE2, DELTA, N_Q, N_K, N_PAD, SHIFT, scale,
    HEADS: tl.constexpr, GROUP: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dK and dV of BLOCK_COLS keys: every row of the GROUP heads that share them."""
    N_PAD = tl.multiple_of(N_PAD, 128)
    tiles = tl.cdiv(N_K, BLOCK_COLS)
    col = tl.program_id(0) % tiles * BLOCK_COLS  # most rows see early keys: these first
    kv_head = tl.program_id(0) // tiles
    cols = col + tl.arange(0, BLOCK_COLS)
    k = fetch(K, kv_head, col, HEADS // GROUP, BLOCK_COLS, DIMS)  # (B_c, d)
    v = fetch(V, kv_head, col, HEADS // GROUP, BLOCK_COLS, DIMS)
    dk = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    dv = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    # Keys past the end fill rows of dK and dV that are not stored: no mask for them.
    some, every = rows_seeing(col, SHIFT, N_PAD, BLOCK_ROWS, BLOCK_COLS)
    for g in tl.range(GROUP):
        head = kv_head * GROUP + g
        at = head.to(tl.int64) * N_PAD
        dk, dv = walk_rows(
            Q, DO, LSE2 + at, DELTA + at, k, v, dk, dv, head, cols, some, every, SHIFT,
            scale, True, HEADS, DIMS, BLOCK_ROWS,
        )
        dk, dv = walk_rows(
            Q, DO, LSE2 + at, DELTA + at, k, v, dk, dv, head, cols, every, N_Q, SHIFT,
            scale, False, HEADS, DIMS, BLOCK_ROWS,
        )
    put(DK, kv_head, col, scale * dk, HEADS // GROUP, BLOCK_COLS, DIMS)
    put(DV, kv_head, col, dv, HEADS // GROUP, BLOCK_COLS, DIMS)


@triton.jit
def walk_rows(
    Q, DO, LSE2, DELTA, k, v, dk, dv, head, cols, start, end, SHIFT, scale,
    MASKED: tl.constexpr, HEADS: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
):
    """Add to dK and dV of a block of keys what rows start .. end of a head bring."""
    for row in tl.range(start, end, BLOCK_ROWS):
        rows = row + tl.arange(0, BLOCK_ROWS)
        q = fetch(Q, head, row, HEADS, BLOCK_ROWS, DIMS)  # (B_r, d)
        do = fetch(DO, head, row, HEADS, BLOCK_ROWS, DIMS)
        # --8<-- [start:tile]
        st = scale * LOG2E * tl.dot(k, q.T, input_precision="ieee")  # (B_c, B_r)
        dpt = tl.dot(v, do.T, input_precision="ieee")
        if MASKED:
            st = tl.where(cols[:, None] <= rows[None, :] + SHIFT, st, float("-inf"))
        pt = tl.exp2(st - tl.load(LSE2 + rows)[None, :])
        dv = tl.dot(pt.to(do.dtype), do, dv, input_precision="ieee")
        dst = pt * (dpt - tl.load(DELTA + rows)[None, :])
        dk = tl.dot(dst.to(q.dtype), q, dk, input_precision="ieee")
        # --8<-- [end:tile]
    return dk, dv


def backward(q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False,
             dkdv_tile=None, dq_tile=None):
    """dQ, dK, dV from what the forward pass saved, through tensor descriptors.

    q, o, do (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) have 16 or 32
    bits; lse and dlse (batch, heads, N_q) are natural, and dlse None is 0. scale and
    causal are those of the forward pass. dq, dk and dv have the shapes and dtypes of q,
    k and v, and the same bits every time. A tile is (block_rows, block_cols, num_warps,
    num_stages). The TMA unit exists from sm_90 on.
    """
    outer_k, outer_q = choose(TILES, q, dkdv_tile, dq_tile)
    tensors, per_row, scale = prepare(
        q, k, v, o, do, lse, dlse, scale, causal, outer_k, outer_q
    )
    q, k, v, o, do = map(describable, tensors)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), n_k, n_pad = q.shape, k.shape[2], per_row[3].shape[2]

    def run(kernel, programs, tile, by_rows, by_cols, per_row):
        rows, cols, num_warps, num_stages = tile
        key = q.device, q.dtype, d, heads, k.shape[1], dlse is None, *tile
        launch(
            kernel, key, (programs, 1, 1), *(describe(x, rows) for x in by_rows),
            *(describe(x, cols) for x in by_cols), *per_row, n_q, n_k, n_pad,
            shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], padded(d),
            rows, cols, num_warps=num_warps, num_stages=num_stages,
        )

    programs = batch * heads * -(-n_pad // outer_q[0])
    run(dq_kernel, programs, outer_q, (q, do, o, dq), (k, v), per_row)
    programs = batch * k.shape[1] * -(-n_k // outer_k[1])
    run(dkdv_kernel, programs, outer_k, (q, do), (k, v, dk, dv), per_row[2:])
    return dq, dk, dv
