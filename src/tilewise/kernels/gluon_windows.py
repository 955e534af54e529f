"""Gluon for windows and sinks: the same consumers, with a first tile as well as a last.

Products and turns are those of `gluon_forward`. A consumer walks down from the last key
that its rows see to the first one. Each step asks whether the window cuts its tile, and
only then pays for the mask. Before its walk and after it, a consumer skips the tiles
that only others need. A sink is where a row's state begins, as in `scores`. For Hopper,
16 bits and d up to 128.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    tma,
    warpgroup_mma_wait,
)

from tilewise.kernels.gluon_forward import LOG2E, REGISTERS, SHAPE, Consumer, as_operand
from tilewise.kernels.host.descriptor import describable
from tilewise.kernels.host.launch import launch
from tilewise.kernels.shared.common import padded, positive, prepare
from tilewise.kernels.shared.gluon import (
    check_covered,
    describe,
    fragment,
    make_ring,
    mask,
    processors,
    row_max,
    row_sums,
    scale_rows,
)
from tilewise.kernels.shared.gluon_windows import Windows, crew_of, mask_before, masked
from tilewise.kernels.shared.scores import rules
from tilewise.kernels.shared.window import limits
from tilewise.kernels.shared.work import Reach, Work, chosen, turns


@gluon.jit
def produce(q, k, v, Q, K, V, work, windows):
    """Producer, one warp: as gluon_forward's, down to the first tile of a block."""
    block, tile = 0, 0  # blocks of rows and tiles of keys so far
    for round in range(work.rounds()):
        row, head, end = work.block(round)
        if end > 0:
            batch, head = head // work.heads, head % work.heads
            q.fill(block, Q, batch, head, row)
            block += 1
            for j in range(end - windows.begin(row, end)):
                col = (end - 1 - j) * work.reach.cols
                k.fill(tile, K, batch, head // work.group, col)
                v.fill(tile, V, batch, head // work.group, col)
                tile += 1


@gluon.jit
def softmax(s, top, l, m, tau2):
    """Scores and their row maxima → (P, ℓ, m, α); a row may have seen no key yet."""
    m_new = gl.maximum(m, top * tau2)
    base = gl.where(m_new == float("-inf"), 0.0, m_new)
    p, alpha = gl.exp2(s * tau2 - base[:, None]), gl.exp2(m - base)
    return p, scale_rows(l, alpha) + row_sums(p), m_new, alpha


@gluon.jit
def first_step(me, q, tile, l, m, first, last, col, left):
    """The last of the tiles by itself: S, the mask or both, the softmax."""
    me.k.wait(tile)
    me.wait_turn()
    s = me.scores(q, tile)
    me.pass_turn()
    s = warpgroup_mma_wait(0, deps=(s,))
    me.k.free(tile)
    s = mask(s, last, col)
    if left:
        s = mask_before(s, first, col)
    p, l, m, alpha = softmax(s, row_max(s, m), l, m, me.tau2)
    return as_operand(p, me.v), l, m, alpha


# --8<-- [start:step]
@gluon.jit
def step(me, q, tile, p, acc, l, m, alpha, first, last, col, cut, past):
    """Consumer.step, with a mask where the window cuts tile + 1, from key col on."""
    me.k.wait(tile + 1)
    me.wait_turn()
    s = me.scores(q, tile + 1)
    acc = me.values(tile, p, acc, alpha)
    me.pass_turn()
    s = warpgroup_mma_wait(1, deps=(s,))  # S is there; P V goes on
    me.k.free(tile + 1)
    # ptxas waits for P V where the ways meet again. So the maxima are computed in all
    # of them, and run underneath it.
    if cut:
        if col >= past:  # also where the window ends
            s = masked(s, first, last, col)
            top = row_max(s, m)
        else:
            s = mask_before(s, first, col)
            top = row_max(s, m)
    else:
        top = row_max(s, m)
    p, l, m, alpha = softmax(s, top, l, m, me.tau2)
    p = as_operand(p, me.v)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    me.v.free(tile)
    return p, acc, l, m, alpha


# --8<-- [end:step]
@gluon.jit
def walk(me, q, windows, tile, row, begin, end, head):
    """O, ℓ, m, the number of the last tile, whose P V still runs, and the rows.

    The rows are the 64 from row on, their tiles of keys those from begin to end, and
    the last of these is tile number `tile`.
    """
    reach = windows.reach
    COLS: gl.constexpr = reach.cols
    D: gl.constexpr = me.v.tiles.shape[4]
    ROW: gl.constexpr = gl.SliceLayout(1, fragment(COLS))
    rows = row + gl.arange(0, 64, ROW)
    first = rows + windows.low
    last = gl.minimum(rows + reach.shift, reach.n_k - 1)
    col = (end - 1) * COLS  # from the last tile down
    whole, past = windows.whole(row)
    acc = gl.zeros([64, D], gl.float32, fragment(D))
    l, m = windows.start(head)
    p, l, m, alpha = first_step(me, q, tile, l, m, first, last, col, col < whole)
    for _ in range(end - 1 - begin):
        col -= COLS
        cut = (col < whole) | (col >= past)
        p, acc, l, m, alpha = step(
            me, q, tile, p, acc, l, m, alpha, first, last, col, cut, past
        )
        tile += 1
    return me.values(tile, p, acc, alpha), l, m, tile, rows


@gluon.jit
def consume(me, o_smem, O, LSE, work, windows):
    """A consumer's rows of every block that this program takes."""
    D: gl.constexpr = me.v.tiles.shape[4]
    block, tile = 0, 0
    if me.w == me.count - 1:
        me.pass_turn()  # consumer 0 goes first
    for round in range(work.rounds()):
        row, head, end = work.block(round)
        if end > 0:
            begin = windows.begin(row, end)  # of the block
            row += 64 * me.w
            own_end = gl.maximum(work.reach.tiles_of(row, 64), begin + 1)
            own_begin = windows.begin(row, own_end)
            for _ in range(end - own_end):
                me.skip(tile)
                tile += 1
            me.q.wait(block)
            q = me.q.tile(block, me.w)
            if D == 128:
                q = q.load(gl.DotOperandLayout(0, fragment(128), 2))
                fence_async_shared()  # the next Q must not be copied there before
                me.q.free(block)
            acc, l, m, tile, rows = walk(
                me, q, windows, tile, row, own_begin, own_end, head % work.heads
            )
            if D == 64:
                me.q.free(block)
            l = gl.convert_layout(gl.sum(l, 1), m.type.layout)
            l = gl.where(l == 0, 1.0, l)  # no key was seen: o = 0, lse = −∞
            lse = (m + gl.log2(l)) / LOG2E
            at = LSE + head.to(gl.int64) * work.reach.n_q + rows
            gl.store(at, lse, rows < work.reach.n_q)
            acc = warpgroup_mma_wait(0, deps=(acc,))
            me.v.free(tile)
            tile += 1
            for _ in range(own_begin - begin):
                me.skip(tile)
                tile += 1
            o = scale_rows(acc, 1 / l).to(O.dtype)
            tma.store_wait(0)  # the last block has left the buffer
            o_smem.reshape([64, D]).store(o)
            fence_async_shared()
            batch, head = head // work.heads, head % work.heads
            tma.async_copy_shared_to_global(O, [batch, head, row, 0], o_smem)
            block += 1
    if me.w == 0:
        me.wait_turn()  # pairs with the last consumer's last pass
    tma.store_wait(0)


@gluon.jit(
    do_not_specialize=[*SHAPE, "low"], do_not_specialize_on_alignment=["SINKS"]
)
def gluon_windows(
    Q, K, V, O, LSE, SINKS, n_q, n_k, low, shift, heads, group, total, crew, crews, odd,
    scale, CONSUMERS: gl.constexpr, STAGES: gl.constexpr, SINK: gl.constexpr,
):
    """As many programs as processors, each over all rounds; Q … O are descriptors."""
    D: gl.constexpr = O.block_type.shape[3]
    reach = Reach(n_q, n_k, shift, 64 * CONSUMERS, K.block_type.shape[2])
    work = Work(reach, heads, group, total, crew, crews, odd)
    windows = Windows(reach, low, SINKS, SINK)
    q = make_ring(Q, 2 if D == 64 else 1, CONSUMERS, CONSUMERS)
    k = make_ring(K, STAGES, CONSUMERS)
    v = make_ring(V, STAGES + (D == 128), CONSUMERS)
    o = gl.allocate_shared_memory(O.dtype, [CONSUMERS] + O.block_type.shape, O.layout)
    fence_async_shared()  # the TMA unit sees the barriers
    tau2 = scale * LOG2E
    me = Consumer(q, k, v, tau2, 0, CONSUMERS)
    one = (me, o.index(0), O, LSE, work, windows)
    me = Consumer(q, k, v, tau2, 1, CONSUMERS)
    two = (me, o.index(1), O, LSE, work, windows)
    feed = (q, k, v, Q, K, V, work, windows)
    if CONSUMERS == 2:
        gl.warp_specialize(
            [(consume, one), (consume, two), (produce, feed)], [4, 1], [240, 24]
        )
    else:
        me = Consumer(q, k, v, tau2, 2, CONSUMERS)
        last = (me, o.index(2), O, LSE, work, windows)
        gl.warp_specialize(
            [(consume, one), (consume, two), (consume, last), (produce, feed)],
            [4, 4, 1], [160, 160, 32],
        )


def choose(q, seen, tile):
    """(block_rows, block_cols, num_stages), measured on an H200, or from tile.

    seen is how many keys a row sees at most: of large tiles, few would be whole.
    """
    *_, n_q, d = q.shape
    rows = 128 if d > 64 or n_q <= 1024 else 192
    few = seen <= (256 if d > 64 else 512)
    return chosen((rows, 64 if few else 128, 4 if few or d <= 64 else 2), tile)


def forward(q, k, v, *, scale=None, causal=False, window=None, sinks=None, **tile):
    """o = softmax(τ q kᵀ) v in 16 bits and L = log (Σ e^s + e^{sink}) in fp32.

    The sums are over the keys of each row's window, as in `tilewise.kernels.windows`,
    and sinks (heads,) count in the denominator only, as in `tilewise.kernels.scores`: a
    row that sees no key has o = 0 and L = −∞, or its sink. The rest, and tile, is as in
    `tilewise.kernels.gluon_forward`, for d up to 128.
    """
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, 64, 64)
    check_covered(q)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    low, high = limits(causal, window, n_q, n_k)
    rows, cols, stages = choose(q, high - low + 1, tile)
    sinks = rules(q.shape[:2], None, None, sinks, 0.0, None).sinks
    q, scale = positive(q, scale)
    q, k, v = describable(q), describable(k), describable(v)
    dims, total = max(64, padded(d)), batch * heads
    blocks, programs = -(-n_q // rows) * total, processors(q.device)
    crew, sink = crew_of(q, k, high - low + rows), sinks is not None
    launch(
        gluon_windows, (q.device, q.dtype, dims, rows, cols, stages, sink),
        (min(blocks, programs), 1, 1), describe(q, 64, dims), describe(k, cols, dims),
        describe(v, cols, dims), describe(o, 64, dims), lse, sinks if sink else lse,
        n_q, n_k, low, high, heads, heads // k.shape[1], total,
        *turns(blocks, total, crew, programs), scale, rows // 64, stages, sink,
        num_warps=4, maxnreg=REGISTERS[rows // 64],
    )
    return o, lse
