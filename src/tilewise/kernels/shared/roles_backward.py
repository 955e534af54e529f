"""The two single warps of the Gluon backward pass: one fetches tiles, one adds to dQ.

The warp that fetches also draws: a counter in memory says how many walks have begun,
and what it was is the number of the next. It is told to the others while two tiles are
still to be worked on, so that nobody waits for it.
"""

from triton._C.libtriton import ir
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language._core import builtin
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

from tilewise.kernels.shared.work_backward import Walk

# Until it is N's turn; and the turn of the next, when what this warp adds is in memory
WAIT = """{ .reg .pred early; .reg .u32 turn;
again: ld.acquire.gpu.global.u32 turn, [$1]; setp.lo.u32 early, turn, $2;
@early bra again; bar.warp.sync -1; fence.proxy.async.global; mov.u32 $0, 0; }"""
PASS = """{ .reg .pred one; .reg .u32 lane; cp.async.bulk.wait_group 0;
fence.proxy.async.global; bar.warp.sync -1; mov.u32 lane, %laneid;
setp.eq.u32 one, lane, 0; @one red.release.gpu.global.add.u32 [$1], 1;
mov.u32 $0, 0; }"""
WAIT, PASS = gl.constexpr(WAIT), gl.constexpr(PASS)


@gluon.jit
def draw(sm, work, TURNS, r):
    """(1, the Walk after r others), or (0, …): drawn, and told to the other warps.

    They are told its col, unit, first, masked, tiles, see and left, and the 1 or the 0.
    """
    number = gl.atomic_add(TURNS, 1, sem="relaxed") + gl.num_programs(0)
    walk, more = work.walk(number), gl.where(work.begins(number), 1, 0)
    i = gl.arange(0, 8, gl.BlockedLayout([8], [32], [1], [0]))
    told = gl.where(i == 0, walk.col, gl.where(i == 1, walk.unit, walk.first))
    told = gl.where(i == 3, walk.masked, gl.where(i == 4, walk.tiles, told))
    told = gl.where(i == 5, walk.see, gl.where(i == 6, walk.left, told))
    mbarrier.wait(sm.told_empty.index(r & 1), (r >> 1 & 1) ^ 1)
    sm.told.index(r & 1).store(gl.where(i == 7, more, told))
    mbarrier.arrive(sm.told_full.index(r & 1), count=1)
    return more, walk


@gluon.jit
def hear(sm, work, r):
    """What `draw` has told."""
    mbarrier.wait(sm.told_full.index(r & 1), r >> 1 & 1)
    ALL: gl.constexpr = gl.BlockedLayout([8], [32], [gl.num_warps()], [0])
    i, told = gl.arange(0, 8, ALL), sm.told.index(r & 1).load(ALL)
    mbarrier.arrive(sm.told_empty.index(r & 1), count=1)
    col, unit = nth(told, i, 0), nth(told, i, 1)
    walk = Walk(
        col, unit, work.first + unit * work.share, work.heads, nth(told, i, 2),
        nth(told, i, 3), nth(told, i, 4), nth(told, i, 5), nth(told, i, 6), work.n_pad,
        work.group, work.share, work.rows, work.order == 2,
    )
    return nth(told, i, 7), walk


@gluon.jit
def nth(x, i, k: gl.constexpr):
    """Number k of x, which each thread has as a whole."""
    return gl.sum(gl.where(i == k, x, 0), 0)


@gluon.jit
def fetch_tiles(sm, work, walk, Q, DO, K, V, LSE, DELTA, TURNS):
    """The warp that fetches: K and V, then Q with L and dO with δ, as room allows."""
    STAGES: gl.constexpr = sm.q.shape[0]
    more, done, n, r = 1, 0, 0, 0
    while more > 0:
        batch, head, kv_head = walk.place()
        for g in range(walk.share):
            for tile in range(walk.tiles):
                i = done + g * walk.tiles + tile
                row = (walk.first + walk.nth(tile)) * walk.rows
                at = [batch, head + g, row, 0]
                number = [(walk.head + g) * walk.n_pad + row]
                s = i % STAGES
                q_full, do_full = sm.q_full.index(s), sm.do_full.index(s)
                mbarrier.wait(sm.empty.index(s), (i // STAGES & 1) ^ 1)
                if g + tile == 0:
                    first = [batch, kv_head, walk.col, 0]
                    fetch_keys(sm, work, K, V, first, i, work.slot(n))
                mbarrier.expect(q_full, Q.block_type.nbytes + 4 * walk.rows)
                tma.async_copy_global_to_shared(Q, at, q_full, sm.q.index(s))
                tma.async_copy_global_to_shared(LSE, number, q_full, sm.lse.index(s))
                mbarrier.expect(do_full, DO.block_type.nbytes + 4 * walk.rows)
                tma.async_copy_global_to_shared(DO, at, do_full, sm.do.index(s))
                delta = sm.delta.index(s)
                tma.async_copy_global_to_shared(DELTA, number, do_full, delta)
        done += walk.share * walk.tiles
        n += gl.where(walk.tiles > 0, 1, 0)
        more = 0
        if work.draws:
            more, walk = draw(sm, work, TURNS, r)
        r += 1


@gluon.jit
def fetch_keys(sm, work, K, V, at, i, slot):
    """K and V of a walk whose first tile has number i.

    When both consumers have stored the last dSᵀ of the walk before, they need its V no
    more, and what they sent from the other K's room has left.
    """
    if work.draws:
        mbarrier.wait(sm.ds_full.index((i + 1) % 2), ((i + 1) // 2 & 1) ^ 1)
    full = sm.kv_full.index(0)
    mbarrier.expect(full, 4 * K.block_type.nbytes)
    for w in gl.static_range(2):
        half = [at[0], at[1], at[2] + 64 * w, at[3]]
        tma.async_copy_global_to_shared(K, half, full, sm.k.index(slot + w))
        tma.async_copy_global_to_shared(V, half, full, sm.v.index(w))


# --8<-- [start:reduce]
@builtin
def reduce_add(desc, coord, src, _semantic=None):
    """Global tile += shared tile, by the TMA unit; Gluon has no name for it yet."""
    coord = _semantic._convert_to_ir_values(coord, require_i64=False)
    add = ir.DESCRIPTOR_REDUCE_KIND.ADD
    _semantic.builder.create_async_tma_reduce(add, desc.handle, coord, src.handle)
    # --8<-- [end:reduce]


@gluon.jit
def add_walk(sm, walk, done, DQ, TURNS):
    """Add each consumer's half of a tile to dQ, when it is there."""
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
                mbarrier.wait(sm.dq_full.index(w), done + g * walk.tiles + i & 1)
                reduce_add(DQ, [((before + tile) * 2 + w) * 128, 0], sm.dq.index(w))
            tma.store_wait(pendings=1)  # consumer 0's half has been read
            mbarrier.arrive(sm.dq_empty.index(0), count=1)
            tma.store_wait(pendings=0)
            mbarrier.arrive(sm.dq_empty.index(1), count=1)
            if TURNS is not None:
                gl.inline_asm_elementwise(PASS, "=r,l", [turn], gl.int32, False, 1)


@gluon.jit
def add_dq(sm, work, walk, DQ, TURNS):
    """The warp that adds to dQ, walk after walk."""
    more, done, r = 1, 0, 0
    while more > 0:
        add_walk(sm, walk, done, DQ, TURNS if not work.draws else None)
        done += walk.share * walk.tiles
        more = 0
        if work.draws:
            more, walk = hear(sm, work, r)
        r += 1
