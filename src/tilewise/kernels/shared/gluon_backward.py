"""Around the five products of the Gluon backward pass: rows, dQ's way, sums of parts.

dQ sums over all keys, but a program has 128 of them. So dQ lives in fp32 in L2, zeros
at first, and what a program has of a tile is added there by one instruction of the copy
engine, which takes it from shared memory: no thread keeps addresses or waits. There a
tile lies half by half, 64 × 64 each, in lines of 32 numbers: what one instruction adds.
"""

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language._core import builtin
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
# Until it is N's turn; and the turn of the next, when what this warp adds is in memory
WAIT = """{ .reg .pred early; .reg .u32 turn;
again: ld.acquire.gpu.global.u32 turn, [$1]; setp.lo.u32 early, turn, $2;
@early bra again; bar.warp.sync -1; fence.proxy.async.global; mov.u32 $0, 0; }"""
PASS = """{ .reg .pred one; .reg .u32 lane; cp.async.bulk.wait_group 0;
fence.proxy.async.global; bar.warp.sync -1; mov.u32 lane, %laneid;
setp.eq.u32 one, lane, 0; @one red.release.gpu.global.add.u32 [$1], 1;
mov.u32 $0, 0; }"""
WAIT, PASS = gl.constexpr(WAIT), gl.constexpr(PASS)


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
    at = tl.program_id(0).to(tl.int64) * ROWS * DIMS + tl.arange(0, ROWS * DIMS)
    tl.store(DQ32 + at, tl.zeros([ROWS * DIMS], tl.float32))


@gluon.jit
def mask(pt, row, left, w: gl.constexpr):
    """Pᵀ (64, B_r) with 0 where a key is not seen.

    From the program's first key, row is how far the first row sees, left the last key.
    """
    T: gl.constexpr = pt.type.layout
    keys = 64 * w + gl.arange(0, 64, gl.SliceLayout(1, T))
    keys = gl.where(keys <= left, keys, 2**30)
    last = row + gl.arange(0, pt.shape[1], gl.SliceLayout(0, T))
    return gl.where(keys[:, None] <= last[None, :], pt, 0.0)


@gluon.jit
def barriers(number: gl.constexpr):
    """Room in shared memory for so many barriers."""
    return gl.allocate_shared_memory(gl.int64, [number, 1], mbarrier.MBarrierLayout())


@gluon.jit
def half_dq(sm, b, w: gl.constexpr):
    """Start consumer w's half of dQ = dS K, 64 × 64, from the keys of both consumers.

    At d = 128 it is half of the columns, at d = 64 half of the rows.
    """
    D: gl.constexpr = sm.k.shape[4]
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    dq = gl.zeros([64, 64], gl.float32, ACC)
    for keys in gl.static_range(2):
        dst, k = sm.ds.index(2 * b + keys), sm.k.index(keys).reshape([64, D])
        if D == 128:
            k = k.slice(64 * w, 64, 1)
        else:
            dst = dst.slice(64 * w, 64, 1)
        ds = dst.permute((1, 0))
        dq = warpgroup_mma(ds, k, dq, use_acc=keys == 1, is_async=True)
    return dq


@gluon.jit
def store_part(SUMS, walk, dk, dv, w: gl.constexpr):
    """Consumer w's dK, before τ, and dV, of a part of the query heads, in fp32."""
    L: gl.constexpr = dk.type.layout
    rows = walk.col + 64 * w + gl.arange(0, 64, gl.SliceLayout(1, L))
    cols = gl.arange(0, dk.shape[1], gl.SliceLayout(0, L))
    keys, units = gl.num_programs(1) * KEYS, gl.num_programs(0) * gl.num_programs(2)
    row = walk.unit.to(gl.int64) * keys + rows
    at = SUMS + row[:, None] * dk.shape[1] + cols[None, :]
    gl.store(at, dk)
    gl.store(at + units.to(gl.int64) * keys * dk.shape[1], dv)


@gluon.jit
def store_keys(sm, DK, DV, at, dk, dv, scale, w: gl.constexpr):
    """Consumer w's dK and dV, rounded, to memory by way of its half of V."""
    D: gl.constexpr = dk.shape[1]
    room = sm.v.index(w)  # nobody else reads it: for dV, then for dK
    room.reshape([64, D]).store(dv.to(DV.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(DV, at, room.reshape(DV.block_type.shape))
    tma.store_wait(pendings=0)
    room.reshape([64, D]).store((scale * dk).to(DK.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(DK, at, room.reshape(DK.block_type.shape))
    tma.store_wait(pendings=0)


# --8<-- [start:reduce]
@builtin
def reduce_add(desc, coord, src, _semantic=None):
    """Global tile += shared tile, by the TMA unit; Gluon has no name for it yet."""
    coord = _semantic._convert_to_ir_values(coord, require_i64=False)
    add = ir.DESCRIPTOR_REDUCE_KIND.ADD
    _semantic.builder.create_async_tma_reduce(add, desc.handle, coord, src.handle)


@gluon.jit
def add_dq(sm, walk, DQ, TURNS):
    """The warp that adds to dQ: each consumer's half of a tile, when it is there."""
    for g in range(walk.share):
        head = walk.unit * walk.share + g  # from the first of those at once
        before = head * walk.n_pad // walk.rows + walk.first
        for i in range(walk.tiles):
            tile = walk.nth(i)
            if TURNS is not None:
                turn = TURNS + before + tile
                gl.inline_asm_elementwise(
                    WAIT, "=r,l,r", [turn, walk.turn(tile)], gl.int32, False, 1
                )
            for w in gl.static_range(2):
                mbarrier.wait(sm.dq_full.index(w), g * walk.tiles + i & 1)
                reduce_add(DQ, [((before + tile) * 2 + w) * 128, 0], sm.dq.index(w))
            tma.store_wait(pendings=1)  # consumer 0's half has been read
            mbarrier.arrive(sm.dq_empty.index(0), count=1)
            tma.store_wait(pendings=0)
            mbarrier.arrive(sm.dq_empty.index(1), count=1)
            if TURNS is not None:
                gl.inline_asm_elementwise(PASS, "=r,l", [turn], gl.int32, False, 1)
    # --8<-- [end:reduce]


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
