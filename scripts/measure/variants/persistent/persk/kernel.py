"""Variants of tilewise.kernels.gluon_backward: persistent, quick end, quick beginning.

FLAGS: bits. JOIN: K comes with the first Q, V with the first dO, each in the order of
need. END: dV and dK are staged in two places, without a wait in between. PERSIST: as
many programs as SMs, each with a list of units of work; implies the two others.
DRAW: the warp that fetches draws the next unit from a counter and tells the others.
LINE: without PERSIST, a program computes its unit as DRAW does, which allows TAIL.
"""

import functools
import heapq

import torch
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from tilewise.kernels.gluon_backward import HALF_DQ, NUMBERS, ROWS, SIZES, STAGES
from tilewise.kernels.host.descriptor import describable, strides_of
from tilewise.kernels.host.launch import Descriptor, launch
from tilewise.kernels.shared.common import LOG2E, like, shift
from tilewise.kernels.shared.common_backward import prepare
from tilewise.kernels.shared.gluon import describe, processors, struct
from tilewise.kernels.shared.gluon_backward import (
    PASS,
    WAIT,
    barriers,
    dq_kernel,
    half_dq,
    mask,
    reduce_add,
    rows_kernel,
    sum_kernel,
)
from tilewise.kernels.shared.work_backward import KEYS, Walk, crew_of, order, share_out

Memory, Constant = gl.shared_memory_descriptor, gl.constexpr
meet = getattr(gl, "barrier", None) or gl.thread_barrier
JOIN, END, PERSIST, DRAW, LINE = 1, 2, 4, 8, 16
MAIN_SIZES = *SIZES, "COLS", "UNITS", "CREW", "TAIL"


@struct
class Shared:
    """What a program keeps in shared memory: tiles, numbers of rows, barriers."""

    q: Memory  # (stages, 1, 1, B_r, d), and so dO
    do: Memory
    lse: Memory  # (stages, B_r), and so δ
    delta: Memory
    k: Memory  # (2, 1, 1, 64, d), a half for each consumer, and so V; K twice if PERSIST
    v: Memory
    ds: Memory  # dSᵀ (2 · 2, 64, B_r): of two tiles, each consumer's half
    dq: Memory  # (2, 128, 32) in fp32: each consumer's 64 × 64 of a tile
    kv_full: Memory  # barriers: K and V have landed (unless JOIN)
    q_full: Memory  # Q and L have, in a stage
    do_full: Memory  # dO and δ have
    empty: Memory  # both consumers have let go of a stage
    ds_full: Memory  # both have stored their half of dSᵀ
    dq_full: Memory  # a consumer has stored its half of dQ
    dq_empty: Memory  # the TMA unit has read it
    work: Memory  # (2, 1): the next unit of work, if it is drawn
    work_full: Memory  # it is there
    work_empty: Memory  # both consumers and the warp that adds have read it


@struct
class Job:
    """What there is to do, and which of it this program does."""

    table: gl.tensor
    first: gl.tensor
    heads: gl.tensor
    n_q: gl.tensor
    n_k: gl.tensor
    n_pad: gl.tensor
    shift: gl.tensor
    cols: gl.tensor
    units: gl.tensor
    crew: gl.tensor  # units with the same keys that come one after the other,
    tail: gl.tensor  # and how many among the last units
    group: gl.constexpr
    share: gl.constexpr
    rows: gl.constexpr
    order: gl.constexpr

    @gluon.jit
    def entry(self, r):
        """Unit of work number r of this program, as unit << 16 | column; −1: no more."""
        return gl.load(self.table + r * gl.num_programs(0) + gl.program_id(0))

    @gluon.jit
    def only(self):
        """The unit of a program that has one, in the grid of today."""
        unit = gl.program_id(0) + gl.program_id(2) * gl.num_programs(0)
        return unit << 16 | gl.program_id(1)

    @gluon.jit
    def entry_of(self, u):
        """Unit of work u in the order of today's grid, or −1 past the last."""
        cut = self.units - self.tail
        late = u >= cut * self.cols
        crew = gl.where(late, self.tail, self.crew)
        x = gl.where(late, u - cut * self.cols, u)
        unit = gl.where(late, cut, 0) + x // (crew * self.cols) * crew + x % crew
        e = unit << 16 | x // crew % self.cols
        return gl.where(u < self.units * self.cols, e, -1)

    @gluon.jit
    def draw(self):
        """The next unit of work that nobody has."""
        u = gl.atomic_add(self.table, 1, sem="relaxed")
        return self.entry_of(u + gl.num_programs(0))

    @gluon.jit
    def walk(self, entry):
        """The Walk of an entry; see plan in work_backward."""
        col, unit = (entry & 65535) * KEYS, entry >> 16
        if self.order == 1:
            col = (self.cols - 1) * KEYS - col
        end = gl.cdiv(self.n_q, self.rows)
        first = gl.minimum(gl.maximum(col - self.shift, 0) // self.rows, end)
        full = gl.minimum(
            gl.cdiv(gl.maximum(col + KEYS - 1 - self.shift, 0), self.rows), end
        )
        masked = gl.where(col + KEYS > self.n_k, end, full) - first
        see, left = first * self.rows + self.shift - col, self.n_k - 1 - col
        return Walk(
            col, unit, self.first + unit * self.share, self.heads, first, masked,
            end - first, see, left, self.n_pad, self.group, self.share, self.rows,
            self.order == 2,
        )


@gluon.jit
def allocate(Q, K, LSE, DQ, KS: Constant):
    """Room in shared memory, and barriers with how many arrivals end their phase."""
    dtype: Constant = Q.dtype
    rows: Constant = Q.block_type.shape[-2]
    tile: Constant = [STAGES] + Q.block_type.shape[-4:]
    half: Constant = [2] + K.block_type.shape[-4:]
    halves: Constant = [2 * KS] + K.block_type.shape[-4:]
    QDO: Constant = gl.NVMMASharedLayout.get_default_for(tile[1:], dtype)
    KV: Constant = gl.NVMMASharedLayout.get_default_for(half[1:], dtype)
    DS: Constant = gl.NVMMASharedLayout.get_default_for([64, rows], dtype)
    sm = Shared(
        gl.allocate_shared_memory(dtype, tile, QDO),
        gl.allocate_shared_memory(dtype, tile, QDO),
        gl.allocate_shared_memory(gl.float32, [STAGES, rows], LSE.layout),
        gl.allocate_shared_memory(gl.float32, [STAGES, rows], LSE.layout),
        gl.allocate_shared_memory(dtype, halves, KV),
        gl.allocate_shared_memory(dtype, half, KV),
        gl.allocate_shared_memory(dtype, [4, 64, rows], DS),
        gl.allocate_shared_memory(gl.float32, [2, 128, 32], DQ.layout),
        barriers(1), barriers(STAGES), barriers(STAGES), barriers(STAGES), barriers(2),
        barriers(2), barriers(2),
        gl.allocate_shared_memory(
            gl.int32, [2, 1], gl.SwizzledSharedLayout(1, 1, 1, [0])
        ),
        barriers(2), barriers(2),
    )
    mbarrier.init(sm.kv_full.index(0), count=1)
    for i in gl.static_range(STAGES):
        mbarrier.init(sm.q_full.index(i), count=1)
        mbarrier.init(sm.do_full.index(i), count=1)
        mbarrier.init(sm.empty.index(i), count=2)
    for i in gl.static_range(2):
        mbarrier.init(sm.ds_full.index(i), count=2)
        mbarrier.init(sm.dq_full.index(i), count=1)
        mbarrier.init(sm.dq_empty.index(i), count=1)
        mbarrier.init(sm.work_full.index(i), count=1)
        mbarrier.init(sm.work_empty.index(i), count=3)
    fence_async_shared()  # the TMA unit sees the barriers
    return sm


@gluon.jit
def tell(sm, r, entry):
    """Say, for the time number r, what the next unit of work is."""
    mbarrier.wait(sm.work_empty.index(r & 1), (r >> 1 & 1) ^ 1)
    ONE: Constant = gl.BlockedLayout([1], [32], [1], [0])
    sm.work.index(r & 1).store(gl.zeros([1], gl.int32, ONE) + entry)
    mbarrier.arrive(sm.work_full.index(r & 1), count=1)


@gluon.jit
def hear(sm, r, WARPS: Constant):
    """What was said the time number r."""
    ONE: Constant = gl.BlockedLayout([1], [32], [WARPS], [0])
    mbarrier.wait(sm.work_full.index(r & 1), r >> 1 & 1)
    entry = gl.max(sm.work.index(r & 1).load(ONE), 0)
    mbarrier.arrive(sm.work_empty.index(r & 1), count=1)
    return entry


@gluon.jit
def fetch_tiles(sm, job, Q, DO, K, V, LSE, DELTA, FLAGS: Constant):
    """The warp that fetches, unit after unit."""
    t, n = 0, 0
    if FLAGS & 8:
        entry = job.entry_of(gl.program_id(0))
        r = 0
        while entry >= 0:
            t, n = fetch_unit(sm, job, entry, t, n, Q, DO, K, V, LSE, DELTA, FLAGS)
            after = job.draw()  # while two tiles are being worked on
            tell(sm, r, after)
            entry = after
            r += 1
    elif FLAGS & 4:
        entry = job.entry(0)
        r = 1
        while entry >= 0:
            after = job.entry(r)
            t, n = fetch_unit(sm, job, entry, t, n, Q, DO, K, V, LSE, DELTA, FLAGS)
            entry = after
            r += 1
    else:
        entry = job.entry_of(gl.program_id(0)) if FLAGS & 16 else job.only()
        fetch_unit(sm, job, entry, t, n, Q, DO, K, V, LSE, DELTA, FLAGS)


@gluon.jit
def fetch_unit(sm, job, entry, t, n, Q, DO, K, V, LSE, DELTA, FLAGS: Constant):
    """K with the first Q, V with the first dO of a unit."""
    QB: Constant = Q.block_type.nbytes + 4 * Q.block_type.shape[2]
    KB: Constant = 2 * K.block_type.nbytes
    if True:
        walk = job.walk(entry)
        batch, head, kv_head = walk.place()
        slot = 0
        if FLAGS & 4:
            slot = 2 * (n & 1)
        if not (FLAGS & 1):
            mbarrier.expect(sm.kv_full.index(0), 2 * KB)
            for w in gl.static_range(2):
                at = [batch, kv_head, walk.col + 64 * w, 0]
                tma.async_copy_global_to_shared(
                    K, at, sm.kv_full.index(0), sm.k.index(slot + w)
                )
                tma.async_copy_global_to_shared(V, at, sm.kv_full.index(0), sm.v.index(w))
        for g in range(walk.share):
            for tile in range(walk.tiles):
                begins = g + tile == 0
                i = t + g * walk.tiles + tile
                row = (walk.first + walk.nth(tile)) * walk.rows
                at = [batch, head + g, row, 0]
                number = [(walk.head + g) * walk.n_pad + row]
                s = i % STAGES
                q_full, do_full = sm.q_full.index(s), sm.do_full.index(s)
                mbarrier.wait(sm.empty.index(s), (i // STAGES & 1) ^ 1)
                if FLAGS & 4:
                    # Both consumers have stored the last dSᵀ of the unit before. So they
                    # have done with its V, and with what lay where K goes now.
                    if begins:
                        mbarrier.wait(sm.ds_full.index((i + 1) % 2), ((i + 1) // 2 & 1) ^ 1)
                if FLAGS & 1:
                    if begins:
                        mbarrier.expect(q_full, QB + KB)
                        for w in gl.static_range(2):
                            to = [batch, kv_head, walk.col + 64 * w, 0]
                            tma.async_copy_global_to_shared(
                                K, to, q_full, sm.k.index(slot + w)
                            )
                    else:
                        mbarrier.expect(q_full, QB)
                else:
                    mbarrier.expect(q_full, QB)
                tma.async_copy_global_to_shared(Q, at, q_full, sm.q.index(s))
                tma.async_copy_global_to_shared(LSE, number, q_full, sm.lse.index(s))
                if FLAGS & 1:
                    if begins:
                        mbarrier.expect(do_full, QB + KB)
                        for w in gl.static_range(2):
                            to = [batch, kv_head, walk.col + 64 * w, 0]
                            tma.async_copy_global_to_shared(V, to, do_full, sm.v.index(w))
                    else:
                        mbarrier.expect(do_full, QB)
                else:
                    mbarrier.expect(do_full, QB)
                tma.async_copy_global_to_shared(DO, at, do_full, sm.do.index(s))
                tma.async_copy_global_to_shared(DELTA, number, do_full, sm.delta.index(s))
        t += walk.share * walk.tiles
        n += gl.where(walk.tiles > 0, 1, 0)
    return t, n


@gluon.jit
def half_dq(sm, b, slot, w: gl.constexpr):
    """Start consumer w's half of dQ = dS K, 64 × 64, from the keys of both consumers."""
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
def step(sm, i, slot, dk, dv, tau2, see, w: Constant, MASKED: Constant,
         EARLY: Constant, POLL: Constant, FLAGS: Constant):
    """Tile number i of the queries and consumer w's 64 keys: five products."""
    B_R: Constant = sm.q.shape[3]
    D: Constant = sm.q.shape[4]
    T: Constant = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, B_R, 16])
    COLUMN: Constant = gl.SliceLayout(0, T)
    LEFT: Constant = gl.DotOperandLayout(0, dk.type.layout, 2)
    zero = gl.zeros([64, B_R], gl.float32, T)
    s, phase, b = i % STAGES, i // STAGES & 1, i % 2
    q, do = sm.q.index(s).reshape([B_R, D]), sm.do.index(s).reshape([B_R, D])
    k, v = sm.k.index(slot + w).reshape([64, D]), sm.v.index(w).reshape([64, D])
    mbarrier.wait(sm.q_full.index(s), phase)
    st = warpgroup_mma(k, q.permute((1, 0)), zero, use_acc=False, is_async=True)
    if EARLY:
        lse = sm.lse.index(s).load(COLUMN)
    mbarrier.wait(sm.do_full.index(s), phase)
    dpt = warpgroup_mma(v, do.permute((1, 0)), zero, use_acc=False, is_async=True)
    st = warpgroup_mma_wait(1, deps=(st,))  # Sᵀ is there; dPᵀ goes on
    if not EARLY:
        lse = sm.lse.index(s).load(COLUMN)
    pt = gl.exp2(st * tau2 - lse[None, :])  # (64, B_r)
    if MASKED:
        pt = mask(pt, see[0], see[1], w)
    pt16 = gl.convert_layout(pt.to(q.dtype), LEFT)  # stays in registers
    if POLL:
        if FLAGS & 1:
            mbarrier.wait(sm.do_full.index(s), phase)
        else:
            mbarrier.wait(sm.kv_full.index(0), 0)
    dpt = warpgroup_mma_wait(0, deps=(dpt,))
    delta = sm.delta.index(s).load(COLUMN)
    dst = (pt * (dpt - delta[None, :])).to(q.dtype)
    sm.ds.index(2 * b + w).store(dst)
    fence_async_shared()  # the tensor cores see what was stored
    if FLAGS & 4:
        tma.store_wait(pendings=0)  # dV and dK of the unit before have been read
    if i > 0:
        mbarrier.arrive(sm.empty.index((i - 1) % STAGES), count=1)
    mbarrier.arrive(sm.ds_full.index(b), count=1)
    dv = warpgroup_mma(pt16, do, dv, is_async=True)
    mbarrier.wait(sm.ds_full.index(b), i // 2 & 1)  # the other consumer's half too
    dq = half_dq(sm, b, slot, w)
    dv = warpgroup_mma_wait(2, deps=(dv,))  # dQ is two products
    dk = warpgroup_mma(gl.convert_layout(dst, LEFT), q, dk, is_async=True)
    dq = warpgroup_mma_wait(1, deps=(dq,))
    mbarrier.wait(sm.dq_empty.index(w), (i & 1) ^ 1)
    sm.dq.index(w).store(dq.reshape(128, 32))  # while dK goes on
    fence_async_shared()
    mbarrier.arrive(sm.dq_full.index(w), count=1)
    dk = warpgroup_mma_wait(0, deps=(dk,))
    return dk, dv


@gluon.jit
def steps(sm, walk, t, slot, dk, dv, tau2, start, end, w: Constant, MASKED: Constant,
          FLAGS: Constant):
    """Tiles number start .. end − 1; tile t is the first of a query head."""
    LARGE: Constant = sm.q.shape[4] == 128
    for i in tl.range(start, end, disable_licm=True):
        see = 0, 0
        if MASKED:
            see = walk.nth(i - t) * walk.rows + walk.see, walk.left
        dk, dv = step(sm, i, slot, dk, dv, tau2, see, w, MASKED, LARGE, LARGE, FLAGS)
    return dk, dv


@gluon.jit
def consume(sm, job, DK, DV, SUMS, scale, w: Constant, MASKED: Constant, FLAGS: Constant):
    """Consumer w: dK and dV of 64 keys, and half of each tile of dQ, unit after unit."""
    t, n = 0, 0
    if not (FLAGS & 1):
        mbarrier.wait(sm.kv_full.index(0), 0)
    if FLAGS & 4:
        if FLAGS & 8:
            entry = job.entry_of(gl.program_id(0))
        else:
            entry = job.entry(0)
        r = 0
        while entry >= 0:
            t, n, entry = consume_unit(
                sm, job, entry, r, t, n, DK, DV, SUMS, scale, w, MASKED, FLAGS
            )
            r += 1
        tma.store_wait(pendings=0)
    else:
        entry = job.entry_of(gl.program_id(0)) if FLAGS & 16 else job.only()
        consume_unit(
            sm, job, entry, 0, t, n, DK, DV, SUMS, scale, w, MASKED, FLAGS
        )


@gluon.jit
def consume_unit(sm, job, entry, r, t, n, DK, DV, SUMS, scale, w: Constant,
                 MASKED: Constant, FLAGS: Constant):
    """One unit of work; returns how many tiles and units are done, and what is next."""
    D: Constant = sm.q.shape[4]
    ACC: Constant = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    tau2 = scale * LOG2E
    walk = job.walk(entry)
    dk, dv = gl.zeros([64, D], gl.float32, ACC), gl.zeros([64, D], gl.float32, ACC)
    slot = 0
    if FLAGS & 4:
        slot = 2 * (n & 1)
    for g in range(walk.share):
        start = t + g * walk.tiles
        at = start
        end = start + walk.tiles
        if walk.back:  # those with a mask come last
            at = end - walk.masked
        elif MASKED:
            at += walk.masked
        begins: Constant = MASKED and not walk.back
        dk, dv = steps(sm, walk, start, slot, dk, dv, tau2, start, at, w, begins, FLAGS)
        dk, dv = steps(sm, walk, start, slot, dk, dv, tau2, at, end, w, walk.back, FLAGS)
    t += walk.share * walk.tiles
    n += gl.where(walk.tiles > 0, 1, 0)
    after = -1
    if FLAGS & 8:
        after = hear(sm, r, 4)
    elif FLAGS & 4:
        after = job.entry(r + 1)
    if walk.share < walk.group:  # others have the other query heads: sum_kernel adds
        store_part(SUMS, job, walk, dk, dv, w)
    else:
        batch, _, kv_head = walk.place()
        to = [batch, kv_head, walk.col + 64 * w, 0]
        store_keys(sm, DK, DV, to, t, n, dk, dv, scale, w, FLAGS)
    return t, n, after


@gluon.jit
def store_part(SUMS, job, walk, dk, dv, w: gl.constexpr):
    """Consumer w's dK, before τ, and dV, of a part of the query heads, in fp32."""
    L: gl.constexpr = dk.type.layout
    rows = walk.col + 64 * w + gl.arange(0, 64, gl.SliceLayout(1, L))
    cols = gl.arange(0, dk.shape[1], gl.SliceLayout(0, L))
    keys = job.cols * KEYS
    row = walk.unit.to(gl.int64) * keys + rows
    at = SUMS + row[:, None] * dk.shape[1] + cols[None, :]
    gl.store(at, dk)
    gl.store(at + job.units.to(gl.int64) * keys * dk.shape[1], dv)


@gluon.jit
def store_keys(sm, DK, DV, at, t, n, dk, dv, scale, w: gl.constexpr, FLAGS: gl.constexpr):
    """Consumer w's dK and dV, rounded, to memory; t tiles and n units are done."""
    D: gl.constexpr = dk.shape[1]
    room = sm.v.index(w)  # nobody else reads it
    if FLAGS & 4:
        tma.store_wait(pendings=0)  # where a unit without tiles came before
        meet()
        # The other consumer has stored the last dQ: it has done with K
        mbarrier.wait(sm.dq_full.index(1 - w), (t & 1) ^ 1)
        room = sm.k.index(2 * ((n & 1) ^ 1) + w)
    room.reshape([64, D]).store(dv.to(DV.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(DV, at, room.reshape(DV.block_type.shape))
    if FLAGS & 2:
        mbarrier.wait(sm.dq_empty.index(w), (t & 1) ^ 1)  # the last dQ has been read
        tile: gl.constexpr = [128 // D] + DK.block_type.shape
        other = sm.dq.index(w)._reinterpret(DK.dtype, tile, DK.layout).index(0)
        other.reshape([64, D]).store((scale * dk).to(DK.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(DK, at, other)
    else:
        tma.store_wait(pendings=0)
        room.reshape([64, D]).store((scale * dk).to(DK.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(DK, at, room.reshape(DK.block_type.shape))
    if not (FLAGS & 4):
        tma.store_wait(pendings=0)


@gluon.jit
def add_dq(sm, job, DQ, TURNS, FLAGS: gl.constexpr):
    """The warp that adds to dQ, unit after unit."""
    t = 0
    if FLAGS & 8:
        entry = job.entry_of(gl.program_id(0))
        r = 0
        while entry >= 0:
            t = add_unit(sm, job, entry, t, DQ, TURNS)
            entry = hear(sm, r, 1)
            r += 1
    elif FLAGS & 4:
        entry = job.entry(0)
        r = 1
        while entry >= 0:
            after = job.entry(r)
            t = add_unit(sm, job, entry, t, DQ, TURNS)
            entry = after
            r += 1
    else:
        entry = job.entry_of(gl.program_id(0)) if FLAGS & 16 else job.only()
        add_unit(sm, job, entry, t, DQ, TURNS)


@gluon.jit
def add_unit(sm, job, entry, t, DQ, TURNS):
    """Each consumer's half of a tile, when it is there; returns how many are done."""
    walk = job.walk(entry)
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
                mbarrier.wait(sm.dq_full.index(w), t + g * walk.tiles + i & 1)
                reduce_add(DQ, [((before + tile) * 2 + w) * 128, 0], sm.dq.index(w))
            tma.store_wait(pendings=1)  # consumer 0's half has been read
            mbarrier.arrive(sm.dq_empty.index(0), count=1)
            tma.store_wait(pendings=0)
            mbarrier.arrive(sm.dq_empty.index(1), count=1)
            if TURNS is not None:
                gl.inline_asm_elementwise(PASS, "=r,l", [turn], gl.int32, False, 1)
    return t + walk.share * walk.tiles


@gluon.jit(do_not_specialize=MAIN_SIZES)
def main_kernel(
    Q, K, V, DO, DK, DV, DQ, LSE, DELTA, SUMS, TURNS, TABLE, FIRST, HEADS, N_Q, N_K,
    N_PAD, SHIFT, COLS, UNITS, CREW, TAIL, scale, GROUP: Constant, SHARE: Constant,
    MASKED: Constant, ORDER: Constant, FLAGS: Constant,
):
    """dK and dV of KEYS keys, and what they add to dQ, in fp32."""
    rows: Constant = Q.block_type.shape[2]
    KS: Constant = 2 if FLAGS & 4 else 1
    job = Job(
        TABLE, FIRST, HEADS, N_Q, N_K, N_PAD, SHIFT, COLS, UNITS, CREW, TAIL, GROUP, SHARE, rows,
        ORDER,
    )
    sm = allocate(Q, K, LSE, DQ, KS)
    gl.warp_specialize(
        [
            (consume, (sm, job, DK, DV, SUMS, scale, 0, MASKED, FLAGS)),
            (consume, (sm, job, DK, DV, SUMS, scale, 1, MASKED, FLAGS)),
            (fetch_tiles, (sm, job, Q, DO, K, V, LSE, DELTA, FLAGS)),
            (add_dq, (sm, job, DQ, TURNS, FLAGS)),
        ],
        [4, 1, 1],  # warps of all but the first, which has num_warps
        [240, 24, 24],  # registers a thread: what two warps give up, consumers get
    )


def lengths(cols, n_q, n_k, causal, rows, back=False):
    """Tiles of each column of keys."""
    sh = n_k - n_q if causal else n_k
    end = -(-n_q // rows)
    return [end - min(max(c * 128 - sh, 0) // rows, end) for c in range(cols)]


def natural(units, cols, crew, tail=None):
    """Units of work in the order of today's grid, the last `tail` units as a crew."""
    tail = tail or crew
    for z in range((units - tail) // crew):
        for c in range(cols):
            for x in range(crew):
                yield z * crew + x, c
    for c in range(cols):
        for x in range(units - tail, units):
            yield x, c


def tail_of(units, cols, crew, causal, sms):
    """Units that end a causal launch, longest first: about two for each SM."""
    return min(units, max(1, 2 * sms // cols)) if causal and crew == 1 else crew


BEGIN = {64: 0.5, 128: 0.4}  # what a unit takes beside its tiles, in tiles


def schedule(kind, units, cols, long, crew, workers, dims, share=1):
    """Lists of (unit, col), one for each worker."""
    tail = tail_of(units, cols, crew, len(set(long)) > 1, workers)
    work = list(natural(units, cols, crew, tail if kind == "tail" else None))
    workers = min(workers, len(work))
    if kind == "robin":  # in turn
        return [work[p::workers] for p in range(workers)]
    if kind == "coprime":  # in turn, each round begins elsewhere by one
        w = workers
        while w > 1 and cols % 2 == 0 and w % 2 == 0:
            w -= 1
        return [work[p::w] for p in range(w)]
    if kind == "snake":  # every other round backwards
        lists = [[] for _ in range(workers)]
        for i, x in enumerate(work):
            r, p = divmod(i, workers)
            lists[p if r % 2 == 0 else workers - 1 - p].append(x)
        return lists
    # greedy: whoever is free first takes the next, as the hardware does
    lists, free = [[] for _ in range(workers)], [(0.0, p) for p in range(workers)]
    for u, c in work:
        at, p = heapq.heappop(free)
        lists[p].append((u, c))
        heapq.heappush(free, (at + long[c] * share + BEGIN[dims], p))
    return lists


def tabulate(lists):
    rows = [
        [(x[r][0] << 16 | x[r][1]) if r < len(x) else -1 for x in lists]
        for r in range(max(map(len, lists)) + 1)
    ]
    return torch.tensor(rows, dtype=torch.int32)


@functools.cache
def table_of(kind, units, cols, n_q, n_k, causal, rows, crew, workers, dims, share, dev):
    long = lengths(cols, n_q, n_k, causal, rows)
    lists = schedule(kind, units, cols, long, crew, workers, dims, share)
    return tabulate(lists).to(dev)


def backward(q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False, flags=0,
             kind="greedy", tail=False):
    """As tilewise.kernels.gluon_backward.backward, by a variant of the main kernel."""
    given = q, k, v, o, do, lse, dlse, scale, causal
    tensors, per_row, scale = prepare(*given, (128, KEYS.value))
    q, k, v, o, do = map(describable, tensors)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), (kv_heads, n_k) = q.shape, k.shape[1:3]
    n_pad, dims, total = per_row[2].shape[2], 64 if d <= 64 else 128, batch * kv_heads
    group, cols = heads // kv_heads, -(-n_k // KEYS.value)
    sizes = total, group, cols, n_q, n_k, dims
    most, parts = share_out(*sizes, bool(causal), processors(q.device))
    dq32 = q.new_empty(most * group * n_pad * dims // 32, 32, dtype=torch.float32)
    sums, keys = dq32, cols * KEYS.value  # not read if nothing is to be summed
    if parts > 1:
        sums = q.new_empty(2, most * parts, keys, dims, dtype=torch.float32)
    rows, masked = ROWS[dims], bool(causal or keys > n_k)
    number = order(dims, cols, causal)
    turns = q.new_empty(len(dq32) // dims // 2, dtype=torch.int32) if number else None
    if number:  # every program has one unit of work
        flags &= ~(PERSIST | DRAW | LINE)
    if flags & DRAW:
        flags |= PERSIST
        drawn = q.new_empty(len(dq32) // dims // 2, dtype=torch.int32)
    if flags & PERSIST:
        flags |= JOIN | END
    zeroed = drawn if flags & DRAW else turns  # by the first kernel

    def box(x, cols):
        """Tiles (64, cols) of x for plain Triton."""
        return Descriptor(x, strides_of(x), (1, 1, 64, cols))

    for first in range(0, total, most):  # heads of K and V
        now, head = min(most, total - first), first * group
        launch(
            rows_kernel, (q.device, q.dtype, dims, dlse is None, zeroed is not None),
            (now * group * n_pad // 64, 1, 1), box(o, dims), box(do, dims),
            *per_row, dq32, zeroed, head, heads, n_q, n_pad, 64, dims,
        )
        units = now * parts
        crew, sms = crew_of(units, cols, causal, number > 0), processors(q.device)
        late = tail_of(units, cols, crew, causal, sms) if tail else crew
        grid, table = (crew, cols, units // crew), dq32.view(torch.int32)
        if flags & DRAW:
            table, grid = drawn, (min(units * cols, sms), 1, 1)
        elif flags & PERSIST:
            table = table_of(
                kind, units, cols, n_q, n_k, bool(causal), rows, crew, sms, dims, group // parts, q.device,
            )
            grid = table.shape[1], 1, 1
        elif flags & LINE:
            grid = units * cols, 1, 1
        launch(
            main_kernel, (q.device, q.dtype, dims, group, parts, masked, number, flags),
            grid,
            describe(q, rows, dims), describe(k, 64, dims), describe(v, 64, dims),
            describe(do, rows, dims), describe(dk, 64, dims), describe(dv, 64, dims),
            Descriptor(dq32, (32, 1), (128, 32), HALF_DQ),
            *(Descriptor(x.view(-1), (1,), (rows,), NUMBERS) for x in per_row[2:]),
            sums, turns, table, head, heads, n_q, n_k, n_pad, shift(causal, n_q, n_k),
            cols, units, crew, late, scale, group, group // parts, masked, number, flags,
            num_warps=4, maxnreg=168,
        )
        if parts > 1:
            launch(
                sum_kernel, (q.device, q.dtype, dims, parts),
                (now * keys // 64, 1, 1), sums, box(dk, dims), box(dv, dims), first,
                kv_heads, keys, scale, parts, dims,
            )
        launch(
            dq_kernel, (q.device, q.dtype, dims),
            (now * group * n_pad * dims // 4096, 1, 1), dq32, box(dq, 64), head, heads,
            n_pad, scale, dims,
        )
    return dq, dk, dv
