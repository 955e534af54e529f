"""Around the five products of the Gluon backward pass: who walks where, and dQ's way.

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
    mbarrier,
    tma,
    warpgroup_mma,
)

from tilewise.kernels._common_backward import row_numbers
from tilewise.kernels._gluon import struct

KEYS = gl.constexpr(128)  # B_c: of a program, 64 for each consumer
SIZES = "HEADS", "N_Q", "N_PAD"  # one compiled kernel for all of them
GIVEN = "LSE", "DLSE"  # may begin at any address


# --8<-- [start:walk]
@struct
class Walk:
    """A program's keys, and the tiles of queries that see them, head after head."""

    kv_head: gl.tensor  # counted through the batch
    col: gl.tensor  # the first key
    first: gl.tensor  # of each head: the first tile that sees a key,
    masked: gl.tensor  # how many from there need a mask,
    tiles: gl.tensor  # and how many there are
    see: gl.tensor  # how far after col the first tile's first row sees
    left: gl.tensor  # how far after col the last key lies
    heads: gl.tensor  # query heads of a batch entry
    n_pad: gl.tensor  # rows of a head in L, δ and the fp32 dQ
    group: gl.constexpr  # query heads that share a head of K and V
    rows: gl.constexpr  # B_r

    @gluon.jit
    def place(self):
        """(batch entry, head of K and V in it)."""
        kv_heads = self.heads // self.group
        return self.kv_head // kv_heads, self.kv_head % kv_heads


@gluon.jit
def plan(HEADS, N_Q, N_K, N_PAD, SHIFT, GROUP: gl.constexpr, B_R: gl.constexpr):
    """This program's Walk. Row r sees keys 0 .. min(r + SHIFT, N_K − 1).

    Keys past the end are masked in every tile: S = 0 there, and e^{−L} may be ∞, which
    K's zeros would turn into NaN in dQ. Rows past the end, or that see no key, need no
    mask, since their L is ∞.
    """
    col = gl.program_id(0) * KEYS  # most rows see the early keys: these come first
    kv_head = gl.program_id(1) + gl.program_id(2) * 65535
    end = gl.cdiv(N_Q, B_R)
    first = gl.minimum(gl.maximum(col - SHIFT, 0) // B_R, end)
    full = gl.minimum(gl.cdiv(gl.maximum(col + KEYS - 1 - SHIFT, 0), B_R), end)
    masked = gl.where(col + KEYS > N_K, end, full) - first
    see, left = first * B_R + SHIFT - col, N_K - 1 - col
    return Walk(
        kv_head, col, first, masked, end - first, see, left, HEADS, N_PAD, GROUP, B_R
    )
    # --8<-- [end:walk]


@triton.jit(do_not_specialize=SIZES, do_not_specialize_on_alignment=GIVEN)
def rows_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, DQ32, HEADS, N_Q, N_PAD, ROWS: tl.constexpr,
    DIMS: tl.constexpr,
):  # fmt: skip
    """δ and L in base 2 of ROWS rows, and zeros for what will be added to dQ."""
    tiles = N_PAD // ROWS
    row, head = tl.program_id(0) % tiles * ROWS, tl.program_id(0) // tiles
    at = [head // HEADS, head % HEADS, row, 0]
    o = O.load(at).reshape(ROWS, DIMS).to(tl.float32)
    do = DO.load(at).reshape(ROWS, DIMS).to(tl.float32)
    row_numbers(o, do, LSE, DLSE, LSE2, DELTA, head, row, N_Q, N_PAD, ROWS)
    at = tl.program_id(0).to(tl.int64) * ROWS * DIMS + tl.arange(0, ROWS * DIMS)
    tl.store(DQ32 + at, tl.zeros([ROWS * DIMS], tl.float32))


# --8<-- [start:half]
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
    # --8<-- [end:half]


# --8<-- [start:reduce]
@builtin
def reduce_add(desc, coord, src, _semantic=None):
    """Global tile += shared tile, by the copy engine; Gluon has no name for it yet."""
    coord = _semantic._convert_to_ir_values(coord, require_i64=False)
    add = ir.DESCRIPTOR_REDUCE_KIND.ADD
    _semantic.builder.create_async_tma_reduce(add, desc.handle, coord, src.handle)


@gluon.jit
def add_dq(sm, walk, DQ):
    """The warp that adds to dQ: each consumer's half of a tile, when it is there."""
    for g in range(walk.group):
        before = (walk.kv_head * walk.group + g) * walk.n_pad // walk.rows + walk.first
        for tile in range(walk.tiles):
            for w in gl.static_range(2):
                mbarrier.wait(sm.dq_full.index(w), g * walk.tiles + tile & 1)
                reduce_add(DQ, [((before + tile) * 2 + w) * 128, 0], sm.dq.index(w))
            tma.store_wait(pendings=1)  # consumer 0's half has been read
            mbarrier.arrive(sm.dq_empty.index(0), count=1)
            tma.store_wait(pendings=0)
            mbarrier.arrive(sm.dq_empty.index(1), count=1)
    # --8<-- [end:reduce]


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(DQ32, DQ, HEADS, N_PAD, scale, DIMS: tl.constexpr):
    """dQ = τ dS K, rounded, of one half of a tile, 64 × 64."""
    halves = N_PAD * DIMS // 4096  # of a head
    i, head = tl.program_id(0) % halves, tl.program_id(0) // halves
    at = tl.program_id(0).to(tl.int64) * 4096 + tl.arange(0, 4096)
    dq = scale * tl.load(DQ32 + at).reshape(1, 1, 64, 64)
    row, dim = i // (DIMS // 64) * 64, i % (DIMS // 64) * 64
    DQ.store([head // HEADS, head % HEADS, row, dim], dq.to(DQ.dtype))
