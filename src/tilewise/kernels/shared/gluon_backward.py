"""Around the five products of the Gluon backward pass: rows, dQ's way, sums of parts.

dQ sums over all keys, but a program has 128 of them. So dQ lives in fp32 in L2, zeros
at first, and what a program has of a tile is added there by one instruction of the copy
engine, which takes it from shared memory: no thread keeps addresses or waits. There a
tile lies half by half, 64 × 64 each, in lines of 32 numbers: what one instruction adds.
"""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
)

from tilewise.kernels.shared.common_backward import row_numbers
from tilewise.kernels.shared.work_backward import KEYS

SIZES = "FIRST", "HEADS", "N_Q", "N_K", "N_PAD"  # one compiled kernel for all of them
GIVEN = "LSE", "DLSE"  # may begin at any address


@triton.jit(do_not_specialize=SIZES, do_not_specialize_on_alignment=GIVEN)
def rows_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, DQ32, TURNS, FIRST, HEADS, N_Q, N_PAD,
    ROWS: tl.constexpr, DIMS: tl.constexpr,
):
    """δ and L in base 2 of ROWS rows, and zeros for what will be added to dQ."""
    if TURNS is not None:
        tl.store(TURNS + tl.program_id(0), 0)
    tiles = N_PAD // ROWS
    row, head = tl.program_id(0) % tiles * ROWS, FIRST + tl.program_id(0) // tiles
    at = [head // HEADS, head % HEADS, row, 0]
    o = O.load(at).reshape(ROWS, DIMS).to(tl.float32)
    do = DO.load(at).reshape(ROWS, DIMS).to(tl.float32)
    row_numbers(o, do, LSE, DLSE, LSE2, DELTA, head, row, N_Q, N_PAD, ROWS)
    if DQ32 is not None:
        at = tl.program_id(0).to(tl.int64) * ROWS * DIMS + tl.arange(0, ROWS * DIMS)
        tl.store(DQ32 + at, tl.zeros([ROWS * DIMS], tl.float32))


@gluon.jit
def barriers(number: gl.constexpr):
    """Room in shared memory for so many barriers."""
    return gl.allocate_shared_memory(gl.int64, [number, 1], mbarrier.MBarrierLayout())


@gluon.constexpr_function
def halves(sm, masked):
    """Whether registers hold half of K: with a mask, at d = 128, if programs go on.

    There it gains 2 %. Without a mask it gains nothing, and elsewhere there is no room.
    """
    rooms, _, _, _, d = sm.k.type.shape  # two for each walk
    return masked and rooms > 2 and d == 128


@gluon.constexpr_function
def is_tile(x):
    """Whether x is a tile and not a number."""
    return len(getattr(x, "shape", ())) > 0


@gluon.jit
def first_half(sm, i, MASKED: gl.constexpr):
    """The first half of the columns of K's rows number i, in registers, or 0.

    A left operand of Sᵀ: shared memory is read once for it, and not for each tile.
    """
    k1 = 0
    if halves(sm, MASKED):
        T: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
        k = sm.k.index(i).reshape([64, 128])
        k1 = k.slice(0, 64, 1).load(gl.DotOperandLayout(0, T, 2))
    return k1


@gluon.jit
def start_scores(sm, k1, k, q, zero):
    """Start Sᵀ = K Qᵀ (64, B_r), with what `first_half` has of K from registers."""
    HALF: gl.constexpr = is_tile(k1)
    if HALF:
        q1 = q.slice(0, 64, 1).permute((1, 0))
        zero = warpgroup_mma(k1, q1, zero, use_acc=False, is_async=True)
        k, q = k.slice(64, 64, 1), q.slice(64, 64, 1)
    return warpgroup_mma(k, q.permute((1, 0)), zero, use_acc=HALF, is_async=True)


@gluon.jit
def half_dq(sm, b, slot, w: gl.constexpr):
    """Start consumer w's half of dQ = dS K, 64 × 64, from the keys of both consumers.

    At d = 128 it is half of the columns, at d = 64 half of the rows.
    """
    D: gl.constexpr = sm.k.shape[4]
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    dq = gl.zeros([64, 64], gl.float32, ACC)
    for keys in gl.static_range(2):
        dst, k = sm.ds.index(2 * b + keys), sm.k.index(slot + keys).reshape([64, D])
        if D == 128:
            k = k.slice(64 * w, 64, 1)
        else:
            dst = dst.slice(64 * w, 64, 1)
        ds = dst.permute((1, 0))
        dq = warpgroup_mma(ds, k, dq, use_acc=keys == 1, is_async=True)
    return dq


@gluon.jit
def store_part(SUMS, work, walk, dk, dv, w: gl.constexpr):
    """Consumer w's dK, before τ, and dV, of a part of the query heads, in fp32."""
    L: gl.constexpr = dk.type.layout
    rows = walk.col + 64 * w + gl.arange(0, 64, gl.SliceLayout(1, L))
    cols = gl.arange(0, dk.shape[1], gl.SliceLayout(0, L))
    keys = work.cols * KEYS
    row = walk.unit.to(gl.int64) * keys + rows
    at = SUMS + row[:, None] * dk.shape[1] + cols[None, :]
    gl.store(at, dk)
    gl.store(at + work.units.to(gl.int64) * keys * dk.shape[1], dv)


@gluon.jit
def store_keys(sm, DK, DV, at, done, slot, dk, dv, scale, w: gl.constexpr):
    """Consumer w's dK and dV, rounded, on their way to memory after `done` tiles.

    dV leaves from where V was, and dK from where dQ was, once that has been read. But
    if the program goes on, the next V comes there, and dV leaves from where K was.
    """
    D: gl.constexpr = dk.shape[1]
    room = sm.v.index(w)
    if sm.k.shape[0] > 2:
        mbarrier.wait(sm.dq_full.index(1 - w), (done & 1) ^ 1)  # the other has read K
        room = sm.k.index(slot + w)
    room.reshape([64, D]).store(dv.to(DV.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(DV, at, room.reshape(DV.block_type.shape))
    mbarrier.wait(sm.dq_empty.index(w), (done & 1) ^ 1)
    tile: gl.constexpr = [128 // D] + DK.block_type.shape
    room = sm.dq.index(w)._reinterpret(DK.dtype, tile, DK.layout).index(0)
    room.reshape([64, D]).store((scale * dk).to(DK.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(DK, at, room)


@gluon.jit
def store_sums(sm, work, walk, DK, DV, SUMS, done, n, dk, dv, scale, w: gl.constexpr):
    """Consumer w's dK and dV after `done` tiles of n walks."""
    if walk.share < walk.group:  # others have the other query heads: sum_kernel adds
        store_part(SUMS, work, walk, dk, dv, w)
    else:
        batch, _, kv_head = walk.place()
        at = [batch, kv_head, walk.col + 64 * w, 0]
        store_keys(sm, DK, DV, at, done, work.slot(n + 1), dk, dv, scale, w)


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(DQ32, DQ, FIRST, HEADS, N_PAD, scale, DIMS: tl.constexpr):
    """dQ = τ dS K, rounded, of one half of a tile, 64 × 64."""
    halves = N_PAD * DIMS // 4096  # of a head
    i, head = tl.program_id(0) % halves, FIRST + tl.program_id(0) // halves
    at = tl.program_id(0).to(tl.int64) * 4096 + tl.arange(0, 4096)
    dq = scale * tl.load(DQ32 + at).reshape(1, 1, 64, 64)
    row, dim = i // (DIMS // 64) * 64, i % (DIMS // 64) * 64
    DQ.store([head // HEADS, head % HEADS, row, dim], dq.to(DQ.dtype))


@triton.jit(do_not_specialize=SIZES)
def sum_kernel(
    SUMS, DK, DV, FIRST, HEADS, N_K, scale, PARTS: tl.constexpr, DIMS: tl.constexpr
):
    """dK and dV of 64 keys, rounded: the sums of their parts, always in this order."""
    tiles, numbers = N_K // 64, tl.arange(0, 64 * DIMS)
    head, row = tl.program_id(0) // tiles, tl.program_id(0) % tiles * 64
    at = [(FIRST + head) // HEADS, (FIRST + head) % HEADS, row, 0]
    all_parts = tl.num_programs(0).to(tl.int64) * PARTS * 64 * DIMS
    dk = tl.zeros([64 * DIMS], tl.float32)
    dv = tl.zeros([64 * DIMS], tl.float32)
    for i in range(PARTS):
        part = SUMS + ((head * PARTS + i).to(tl.int64) * N_K + row) * DIMS + numbers
        dk += tl.load(part)
        dv += tl.load(part + all_parts)
    DK.store(at, (scale * dk).to(DK.dtype).reshape(1, 1, 64, DIMS))
    DV.store(at, dv.to(DV.dtype).reshape(1, 1, 64, DIMS))
