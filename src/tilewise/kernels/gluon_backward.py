"""The backward pass in Gluon, for Hopper: five products a tile, and the rest beneath.

Sᵀ = K Qᵀ   Pᵀ = e^{Sᵀ − L}   dPᵀ = V dOᵀ   dSᵀ = Pᵀ ∘ (dPᵀ − δ)
dV = Pᵀ dO   dK = τ dSᵀ Q   dQ = τ dS K

A program owns 128 keys and walks the tiles of queries that see them; then it may draw
another walk. Its warps share the work: one fetches tiles, one adds finished dQ to
memory, and two consumers of four warps have 64 keys each. Pᵀ and dSᵀ go into dV and dK
from the registers that they were made in, and dV and dK never leave theirs. Only dSᵀ
passes through shared memory, since dQ sums over both consumers' keys: each makes half
of a tile of dQ, and the TMA unit adds it to an fp32 dQ in L2. Programs come to a tile
in any order, and the last bits of dQ change with it, unless they take turns.
"""

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

from tilewise.kernels.host.descriptor import describable, strides_of
from tilewise.kernels.host.launch import Descriptor, launch
from tilewise.kernels.shared.common import LOG2E, like, shift
from tilewise.kernels.shared.common_backward import prepare
from tilewise.kernels.shared.gluon import describe, processors, struct
from tilewise.kernels.shared.gluon_backward import (
    barriers,
    dq_kernel,
    first_half,
    half_dq,
    rows_kernel,
    start_scores,
    store_sums,
    sum_kernel,
)
from tilewise.kernels.shared.mask_backward import mask
from tilewise.kernels.shared.roles_backward import add_dq, fetch_tiles, hear
from tilewise.kernels.shared.work_backward import (
    KEYS,
    Work,
    crew_of,
    draws,
    last_of,
    order,
    share_out,
)

ROWS = {64: 128, 128: 64}  # d, filled up → B_r: what the registers hold
STAGES = gl.constexpr(2)  # tiles of Q and of dO in shared memory
SIZES = "FIRST HEADS N_Q N_K N_PAD SHIFT COLS UNITS CREW LAST".split()  # one kernel
HALF_DQ = gl.NVMMASharedLayout.get_default_for([128, 32], gl.float32)
NUMBERS = gl.NVMMASharedLayout(swizzle_byte_width=0, element_bitwidth=32, rank=1)
Memory, Constant = gl.shared_memory_descriptor, gl.constexpr


@struct
class Shared:
    """What a program keeps in shared memory: tiles, numbers of rows, barriers."""

    q: Memory  # (stages, 1, 1, B_r, d), and so dO
    do: Memory
    lse: Memory  # (stages, B_r), and so δ
    delta: Memory
    k: Memory  # (2 or 4, 1, 1, 64, d), a half for each consumer, of one walk or of two
    v: Memory  # (2, 1, 1, 64, d)
    ds: Memory  # dSᵀ (2 · 2, 64, B_r): of two tiles, each consumer's half
    dq: Memory  # (2, 128, 32) in fp32: each consumer's 64 × 64 of a tile
    kv_full: Memory  # barriers: K and V have landed
    q_full: Memory  # Q and L have, in a stage
    do_full: Memory  # dO and δ have
    empty: Memory  # both consumers have let go of a stage
    ds_full: Memory  # both have stored their half of dSᵀ
    dq_full: Memory  # a consumer has stored its half of dQ
    dq_empty: Memory  # the TMA unit has read it
    told: Memory  # (2, 8): the next walk
    told_full: Memory  # it is there
    told_empty: Memory  # all three have read it


@gluon.jit
def allocate(Q, K, LSE, DQ, WALKS: Constant):
    """Room in shared memory, and barriers with how many arrivals end their phase."""
    dtype: Constant = Q.dtype
    rows: Constant = Q.block_type.shape[-2]
    tile: Constant = [STAGES] + Q.block_type.shape[-4:]
    half: Constant = K.block_type.shape[-4:]
    QDO: Constant = gl.NVMMASharedLayout.get_default_for(tile[1:], dtype)
    KV: Constant = gl.NVMMASharedLayout.get_default_for(half, dtype)
    DS: Constant = gl.NVMMASharedLayout.get_default_for([64, rows], dtype)
    ONE: Constant = gl.SwizzledSharedLayout(1, 1, 1, [0])
    sm = Shared(
        gl.allocate_shared_memory(dtype, tile, QDO),
        gl.allocate_shared_memory(dtype, tile, QDO),
        gl.allocate_shared_memory(gl.float32, [STAGES, rows], LSE.layout),
        gl.allocate_shared_memory(gl.float32, [STAGES, rows], LSE.layout),
        gl.allocate_shared_memory(dtype, [2 * WALKS] + half, KV),
        gl.allocate_shared_memory(dtype, [2] + half, KV),
        gl.allocate_shared_memory(dtype, [4, 64, rows], DS),
        gl.allocate_shared_memory(gl.float32, [2, 128, 32], DQ.layout),
        barriers(1), barriers(STAGES), barriers(STAGES), barriers(STAGES), barriers(2),
        barriers(2), barriers(2),
        gl.allocate_shared_memory(gl.int32, [2, 8], ONE), barriers(2), barriers(2),
    )
    mbarrier.init(sm.kv_full.index(0), count=1)
    for i in gl.static_range(STAGES):
        mbarrier.init(sm.q_full.index(i), count=1)
        mbarrier.init(sm.do_full.index(i), count=1)
        mbarrier.init(sm.empty.index(i), count=2)
        mbarrier.init(sm.ds_full.index(i), count=2)
        mbarrier.init(sm.dq_full.index(i), count=1)
        mbarrier.init(sm.dq_empty.index(i), count=1)
        if WALKS > 1:  # unused, they would lie on what warps are told at the start
            mbarrier.init(sm.told_full.index(i), count=1)
            mbarrier.init(sm.told_empty.index(i), count=3)
    fence_async_shared()  # the TMA unit sees the barriers
    return sm


@gluon.jit
def step(sm, k1, i, slot, dk, dv, tau2, see, w: Constant, MASKED: Constant,
         EARLY: Constant, POLL: Constant):
    """Tile number i of the queries and consumer w's 64 keys: five products.

    k1 comes from `first_half`. EARLY loads L while Sᵀ is computed, for which there must
    be registers. POLL keeps the exponentials above the wait for dPᵀ.
    """
    B_R: Constant = sm.q.shape[3]
    D: Constant = sm.q.shape[4]
    T: Constant = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, B_R, 16])
    COLUMN: Constant = gl.SliceLayout(0, T)
    LEFT: Constant = gl.DotOperandLayout(0, dk.type.layout, 2)
    zero = gl.zeros([64, B_R], gl.float32, T)
    s, phase, b = i & 1, i >> 1 & 1, i & 1  # % and // of a sum take more instructions
    q, do = sm.q.index(s).reshape([B_R, D]), sm.do.index(s).reshape([B_R, D])
    k, v = sm.k.index(slot + w).reshape([64, D]), sm.v.index(w).reshape([64, D])
    # --8<-- [start:products]
    mbarrier.wait(sm.q_full.index(s), phase)
    st = start_scores(sm, k1, k, q, zero)
    if EARLY:
        lse = sm.lse.index(s).load(COLUMN)
    mbarrier.wait(sm.do_full.index(s), phase)
    dpt = warpgroup_mma(v, do.permute((1, 0)), zero, use_acc=False, is_async=True)
    st = warpgroup_mma_wait(1, deps=(st,))  # Sᵀ is there; dPᵀ goes on
    if not EARLY:
        lse = sm.lse.index(s).load(COLUMN)
    pt = gl.exp2(st * tau2 - lse[None, :])  # (64, B_r)
    if MASKED:
        pt = mask(pt, see, w)
    pt16 = gl.convert_layout(pt.to(q.dtype), LEFT)  # stays in registers
    # ptxas would move the next wait above the exponentials. But it moves nothing past a
    # loop, and this line is one: it polls a barrier, which was complete long ago.
    if POLL:
        mbarrier.wait(sm.kv_full.index(0), slot // 2)
    dpt = warpgroup_mma_wait(0, deps=(dpt,))
    delta = sm.delta.index(s).load(COLUMN)
    dst = (pt * (dpt - delta[None, :])).to(q.dtype)
    sm.ds.index(2 * b + w).store(dst)
    fence_async_shared()  # the tensor cores see what was stored
    if sm.k.shape[0] > 2:  # the sums of the walk before have left their room
        tma.store_wait(pendings=0)
    # The compiler puts a barrier of the four warps before an arrival and after it. Two
    # arrivals in a row share one. So the tile before gives up its stage only here.
    if i > 0:
        mbarrier.arrive(sm.empty.index(s ^ 1), count=1)
    mbarrier.arrive(sm.ds_full.index(b), count=1)
    dv = warpgroup_mma(pt16, do, dv, is_async=True)
    mbarrier.wait(sm.ds_full.index(b), phase)  # the other consumer's half too
    dq = half_dq(sm, b, slot, w)
    dv = warpgroup_mma_wait(2, deps=(dv,))  # dQ is two products
    dk = warpgroup_mma(gl.convert_layout(dst, LEFT), q, dk, is_async=True)
    dq = warpgroup_mma_wait(1, deps=(dq,))
    mbarrier.wait(sm.dq_empty.index(w), (i & 1) ^ 1)
    sm.dq.index(w).store(dq.reshape(128, 32))  # while dK goes on
    fence_async_shared()
    mbarrier.arrive(sm.dq_full.index(w), count=1)
    # dK reads dSᵀ from registers. Were it still at work in the next round of the loop,
    # ptxas would make every product wait for the one before.
    dk = warpgroup_mma_wait(0, deps=(dk,))
    # --8<-- [end:products]
    return dk, dv


@gluon.jit
def steps(sm, k1, walk, t, slot, dk, dv, tau2, at, end, w: Constant, MASKED: Constant):
    """Tiles number at .. end − 1; number t is the first of this query head."""
    LARGE: Constant = sm.q.shape[4] == 128
    # Taken out of the loop, addresses and the mask's numbers would fill the registers.
    for i in tl.range(at, end, disable_licm=True):
        see = walk.nth(i - t) * walk.rows + walk.see, walk.left
        dk, dv = step(sm, k1, i, slot, dk, dv, tau2, see, w, MASKED, LARGE, LARGE)
    return dk, dv


@gluon.jit
def consume(sm, work, walk, DK, DV, SUMS, scale, w: Constant, MASKED: Constant):
    """Consumer w: dK and dV of 64 keys of each walk, and half of each tile of dQ."""
    D: Constant = sm.q.shape[4]
    ACC: Constant = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    tau2 = scale * LOG2E
    more, done, n, r = 1, 0, 0, 0  # done tiles, n walks with tiles, r walks
    while more > 0:
        slot = work.slot(n)
        dk, dv = gl.zeros([64, D], gl.float32, ACC), gl.zeros([64, D], gl.float32, ACC)
        if walk.tiles > 0:
            mbarrier.wait(sm.kv_full.index(0), n & 1)
            n += 1
        k1 = first_half(sm, slot + w, MASKED)
        for _ in range(walk.share):
            t, at, end = done, done, done + walk.tiles
            if walk.back:  # those with a mask come last
                at = end - walk.masked
            elif MASKED:
                at += walk.masked
            begins: Constant = MASKED and not walk.back
            dk, dv = steps(sm, k1, walk, t, slot, dk, dv, tau2, t, at, w, begins)
            dk, dv = steps(sm, k1, walk, t, slot, dk, dv, tau2, at, end, w, walk.back)
            done = end
        more, last = 0, walk
        if work.draws:
            tma.store_wait(pendings=0)  # if the walk before had no tiles
            more, walk = hear(sm, work, r)
        r += 1
        store_sums(sm, work, last, DK, DV, SUMS, done, n, dk, dv, scale, w)
    tma.store_wait(pendings=0)


@gluon.jit(do_not_specialize=SIZES)
def main_kernel(
    Q, K, V, DO, DK, DV, DQ, LSE, DELTA, SUMS, TURNS, FIRST, HEADS, N_Q, N_K, N_PAD,
    SHIFT, COLS, UNITS, CREW, LAST, scale, GROUP: Constant, SHARE: Constant,
    MASKED: Constant, ORDER: Constant, DRAWS: Constant,
):
    """dK and dV of KEYS keys, and what they add to dQ, in fp32."""
    work = Work(
        FIRST, HEADS, N_Q, N_K, N_PAD, SHIFT, COLS, UNITS, CREW, LAST, GROUP, SHARE,
        Q.block_type.shape[2], ORDER, DRAWS, None,
    )
    walk, sm = work.walk(gl.program_id(0)), allocate(Q, K, LSE, DQ, 2 if DRAWS else 1)
    gl.warp_specialize(
        [
            (consume, (sm, work, walk, DK, DV, SUMS, scale, 0, MASKED)),
            (consume, (sm, work, walk, DK, DV, SUMS, scale, 1, MASKED)),
            (fetch_tiles, (sm, work, walk, Q, DO, K, V, LSE, DELTA, TURNS)),
            (add_dq, (sm, work, walk, DQ, TURNS)),
        ],
        [4, 1, 1],  # warps of all but the first, which has num_warps
        [240, 24, 24],  # registers a thread: what two warps give up, consumers get
    )


def backward(q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False):
    """dQ, dK, dV as from backward_split; for Hopper. ValueError for 32 bits, d > 128.

    Heads take turns, as many at once as `share_out` says, with an fp32 dQ for these; if
    a head of K is read by several programs, with fp32 dK and dV from each of them.
    dQ is added up in one order where torch.use_deterministic_algorithms is on.
    """
    if q.element_size() != 2 or q.shape[-1] > 128:
        d = q.shape[-1]
        raise ValueError(f"q must have 16 bits and d at most 128, not {q.dtype}, {d}")
    given = q, k, v, o, do, lse, dlse, scale, causal
    tensors, per_row, scale = prepare(*given, (128, KEYS.value))
    q, k, v, o, do = map(describable, tensors)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), (kv_heads, n_k) = q.shape, k.shape[1:3]
    n_pad, dims, total = per_row[2].shape[2], 64 if d <= 64 else 128, batch * kv_heads
    group, cols = heads // kv_heads, -(-n_k // KEYS.value)
    sms = processors(q.device)
    most, parts = share_out(total, group, cols, n_q, n_k, dims, bool(causal), sms)
    dq32 = q.new_empty(most * group * n_pad * dims // 32, 32, dtype=torch.float32)
    sums, keys = dq32, cols * KEYS.value  # not read if nothing is to be summed
    if parts > 1:
        sums = q.new_empty(2, most * parts, keys, dims, dtype=torch.float32)
    rows, masked = ROWS[dims], bool(causal or keys > n_k)
    kind = order(dims, cols, causal)
    go_on = draws(dims, cols, most * parts, sms, kind)
    counts = q.new_empty(len(dq32) // dims // 2, dtype=torch.int32)  # turns, or walks
    turns = counts if kind or go_on else None

    def box(x, cols):
        """Tiles (64, cols) of x for plain Triton."""
        return Descriptor(x, strides_of(x), (1, 1, 64, cols))

    for first in range(0, total, most):  # heads of K and V
        now, head = min(most, total - first), first * group
        launch(
            rows_kernel, (q.device, q.dtype, dims, dlse is None, turns is None),
            (now * group * n_pad // 64, 1, 1), box(o, dims), box(do, dims),
            *per_row, dq32, turns, head, heads, n_q, n_pad, 64, dims,
        )
        units, crew = now * parts, crew_of(now * parts, cols, causal, kind > 0)
        launch(
            main_kernel, (q.device, q.dtype, dims, group, parts, masked, kind, go_on),
            (min(units * cols, sms) if go_on else units * cols, 1, 1),
            describe(q, rows, dims), describe(k, 64, dims), describe(v, 64, dims),
            describe(do, rows, dims), describe(dk, 64, dims), describe(dv, 64, dims),
            Descriptor(dq32, (32, 1), (128, 32), HALF_DQ),
            *(Descriptor(x.view(-1), (1,), (rows,), NUMBERS) for x in per_row[2:]),
            sums, turns, head, heads, n_q, n_k, n_pad, shift(causal, n_q, n_k), cols,
            units, crew, last_of(units, cols, crew, causal, sms), scale, group,
            group // parts, masked, kind, go_on, num_warps=4, maxnreg=168,
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
