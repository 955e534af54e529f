"""Gluon for Hopper: softmax runs underneath the matrix products.

A program is one producer warp, which only starts copies, and two or three consumers of
four warps, 64 query rows each. A consumer starts S_j = Q K_jᵀ and O += P_{j−1} V_{j−1}
together and goes on with S_j while the tensor cores are still busy with the second.
Consumers take turns in this, so that most of one's softmax runs underneath the other's
products. Programs stay on their processor: the producer runs ahead into the next block
of rows while the consumers still finish this one. For this, Q has a second buffer at
d = 64, and at d = 128 consumers load it into registers at once and leave its only one.
Keys are walked from the diagonal down: the tiles that need a mask come first.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from tilewise.kernels.host.descriptor import describable
from tilewise.kernels.host.launch import launch
from tilewise.kernels.shared.common import LOG2E, padded, positive, prepare, shift
from tilewise.kernels.shared.gluon import (
    Ring,
    check_covered,
    describe,
    fragment,
    make_ring,
    mask,
    processors,
    rescale,
    row_max,
    row_sums,
    scale_rows,
    struct,
)
from tilewise.kernels.shared.order import crew_of
from tilewise.kernels.shared.work import Reach, Work, chosen, turns

REGISTERS = {2: 168, 3: 128}  # consumers → registers a thread if all had the same


# --8<-- [start:produce]
@gluon.jit
def produce(q, k, v, Q, K, V, work):
    """Producer, one warp: copy tiles as far ahead as q, k, v have empty buffers."""
    block, tile = 0, 0  # blocks of rows and tiles of keys so far
    for round in range(work.rounds()):
        row, head, keys = work.block(round)
        if keys > 0:
            batch, head = head // work.heads, head % work.heads
            q.fill(block, Q, batch, head, row)
            block += 1
            for j in range(keys):
                col = (keys - 1 - j) * work.reach.cols  # from the diagonal down
                k.fill(tile, K, batch, head // work.group, col)
                v.fill(tile, V, batch, head // work.group, col)
                tile += 1
    # --8<-- [end:produce]


@gluon.jit
def softmax(s, m, tau2, MASKED: gl.constexpr):
    """Scores → (P, m', α): m' = max(m, τ₂ S), P = 2^{τ₂ S − m'}, α = 2^{m − m'}."""
    m_new = gl.maximum(m, row_max(s, m) * tau2)  # τ₂ = τ log₂ e ≥ 0
    base = m_new
    if MASKED:  # a row that has seen no key yet: 2^{−∞ − 0} = 0, not NaN
        base = gl.where(m_new == float("-inf"), 0.0, m_new)
    return gl.exp2(s * tau2 - base[:, None]), m_new, gl.exp2(m - base)


@gluon.jit
def as_operand(p, v):
    """P in the 16 bits of V's tiles, in registers still: the first operand of P V."""
    layout: gl.constexpr = gl.DotOperandLayout(0, fragment(v.tiles.shape[4]), 2)
    return gl.convert_layout(p.to(v.tiles.dtype), layout)


@struct
class Consumer:
    """Number `w` of `count` consumers: 64 rows of every block, four warps."""

    q: Ring
    k: Ring
    v: Ring
    tau2: gl.tensor
    w: gl.constexpr
    count: gl.constexpr

    # --8<-- [start:turns]
    @gluon.jit
    def wait_turn(self):
        """Until the consumer before this one has started its products.

        Consumer w waits at named barrier 8 + w; the one before arrives there. The
        compiler uses lower numbers itself. Assembly must return something, here $0.
        """
        gl.inline_asm_elementwise(
            "bar.sync $1, 256; mov.u32 $0, 0;", "=r,r", [8 + self.w], gl.int32, False, 1
        )

    @gluon.jit
    def pass_turn(self):
        """Let the next consumer start its products; after the last comes the first."""
        after: gl.constexpr = 8 + (self.w + 1) % self.count
        gl.inline_asm_elementwise(
            "bar.arrive $1, 256; mov.u32 $0, 0;", "=r,r", [after], gl.int32, False, 1
        )

    # --8<-- [end:turns]
    @gluon.jit
    def scores(self, q, tile):
        """Start S = Q Kᵀ (64, B_c)."""
        k = self.k.tile(tile).permute((1, 0))
        COLS: gl.constexpr = k.shape[1]
        s = gl.zeros([64, COLS], gl.float32, fragment(COLS))
        return warpgroup_mma(q, k, s, use_acc=False, is_async=True)

    @gluon.jit
    def values(self, tile, p, acc, alpha):
        """Start O = α O + P V (64, d), once V is there."""
        self.v.wait(tile)
        # at d = 128, to ask gains nothing
        acc = scale_rows(acc, alpha) if acc.shape[1] == 128 else rescale(acc, alpha)
        return warpgroup_mma(p, self.v.tile(tile), acc, is_async=True)

    @gluon.jit
    def skip(self, tile):
        """Let a tile of keys go by that only the rows of other consumers see."""
        self.wait_turn()
        self.pass_turn()
        self.k.wait(tile)
        self.k.free(tile)
        self.v.wait(tile)
        self.v.free(tile)

    @gluon.jit
    def first(self, q, tile, l, m, last, col, MASKED: gl.constexpr):
        """A tile of keys by itself: S, then its softmax."""
        self.k.wait(tile)
        self.wait_turn()
        s = self.scores(q, tile)
        self.pass_turn()
        s = warpgroup_mma_wait(0, deps=(s,))
        self.k.free(tile)
        if MASKED:
            s = mask(s, last, col)
        p, m, alpha = softmax(s, m, self.tau2, MASKED)
        return as_operand(p, self.v), scale_rows(l, alpha) + row_sums(p), m, alpha

    # --8<-- [start:step]
    @gluon.jit
    def step(self, q, tile, p, acc, l, m, alpha):
        """S of tile + 1 starts together with P V of tile, to which p and α belong."""
        self.k.wait(tile + 1)
        self.wait_turn()
        s = self.scores(q, tile + 1)
        acc = self.values(tile, p, acc, alpha)
        self.pass_turn()
        s = warpgroup_mma_wait(1, deps=(s,))  # S is there; P V goes on
        self.k.free(tile + 1)
        p, m, alpha = softmax(s, m, self.tau2, False)
        l = scale_rows(l, alpha) + row_sums(p)
        p = as_operand(p, self.v)
        # ptxas moves this wait up, before the exponentials, which then overlap with the
        # other consumers' products. When a loop held it back, the kernel was slower.
        acc = warpgroup_mma_wait(0, deps=(acc,))
        self.v.free(tile)
        return p, acc, l, m, alpha

    # --8<-- [end:step]


@gluon.jit
def walk(me, q, reach, tile, row, own, MASKED: gl.constexpr):
    """O, ℓ, m, the number of the last tile, whose P V still runs, and the rows.

    The rows are the 64 from row on; their keys are own tiles, the first one `tile`.
    """
    D: gl.constexpr = me.v.tiles.shape[4]
    ROW: gl.constexpr = gl.SliceLayout(1, fragment(reach.cols))
    rows = row + gl.arange(0, 64, ROW)
    last = gl.minimum(rows + reach.shift, reach.n_k - 1)  # the last key each row sees
    col = (own - 1) * reach.cols  # from the diagonal down
    acc = gl.zeros([64, D], gl.float32, fragment(D))
    l = row_sums(gl.zeros([64, reach.cols], gl.float32, fragment(reach.cols)))
    m = gl.full([64], float("-inf"), gl.float32, ROW)
    if MASKED:
        if own - 1 > reach.full_tiles(row):  # two tiles need the mask
            p, l, m, alpha = me.first(q, tile, l, m, last, col, True)
            acc = me.values(tile, p, acc, alpha)
            acc = warpgroup_mma_wait(0, deps=(acc,))
            me.v.free(tile)
            tile += 1
            col -= reach.cols
    p, l, m, alpha = me.first(q, tile, l, m, last, col, MASKED)
    for _ in range(0, col, reach.cols):
        p, acc, l, m, alpha = me.step(q, tile, p, acc, l, m, alpha)
        tile += 1
    return me.values(tile, p, acc, alpha), l, m, tile, rows


@gluon.jit
def consume(me, o_smem, O, LSE, work, MASKED: gl.constexpr):
    """A consumer's rows of every block that this program takes."""
    D: gl.constexpr = me.v.tiles.shape[4]
    block, tile = 0, 0
    if me.w == me.count - 1:
        me.pass_turn()  # consumer 0 goes first
    for round in range(work.rounds()):
        row, head, keys = work.block(round)
        if keys > 0:
            row += 64 * me.w
            own = work.reach.tiles_of(row, 64)
            for _ in range(keys - own):
                me.skip(tile)
                tile += 1
            me.q.wait(block)
            q = me.q.tile(block, me.w)
            if D == 128:
                q = q.load(gl.DotOperandLayout(0, fragment(128), 2))
                fence_async_shared()  # the next Q must not be copied there before
                me.q.free(block)
            acc, l, m, tile, rows = walk(me, q, work.reach, tile, row, own, MASKED)
            if D == 64:
                me.q.free(block)
            l = gl.convert_layout(gl.sum(l, 1), m.type.layout)
            l = gl.where(l == 0, 1.0, l)  # no key was seen: o = 0, lse = −∞
            lse = (m + gl.log2(l)) / LOG2E
            at = LSE + head.to(gl.int64) * work.reach.n_q + rows
            gl.store(at, lse, rows < work.reach.n_q)
            acc = warpgroup_mma_wait(0, deps=(acc,))
            me.v.free(tile)
            o = scale_rows(acc, 1 / l).to(O.dtype)
            tma.store_wait(0)  # the last block has left the buffer
            o_smem.reshape([64, o.shape[1]]).store(o)
            fence_async_shared()
            batch, head = head // work.heads, head % work.heads
            tma.async_copy_shared_to_global(O, [batch, head, row, 0], o_smem)
            if D == 256:  # O leaves from where Q was
                tma.store_wait(0)
                me.q.free(block)
            tile += 1
            block += 1
    if me.w == 0:
        me.wait_turn()  # pairs with the last consumer's last pass
    tma.store_wait(0)


SHAPE = ["n_q", "n_k", "shift", "heads", "group", "total", "crew", "crews", "odd"]


@gluon.jit(do_not_specialize=SHAPE)
def gluon_forward(
    Q, K, V, O, LSE, n_q, n_k, shift, heads, group, total, crew, crews, odd, scale,
    CONSUMERS: gl.constexpr, STAGES: gl.constexpr, MASKED: gl.constexpr,
):
    """As many programs as processors, each over all rounds; Q … O are descriptors."""
    tile: gl.constexpr = O.block_type.shape
    D: gl.constexpr = tile[3]
    reach = Reach(n_q, n_k, shift, 64 * CONSUMERS, K.block_type.shape[2])
    work = Work(reach, heads, group, total, crew, crews, odd)
    q = make_ring(Q, 2 if D == 64 else 1, CONSUMERS, CONSUMERS)
    k = make_ring(K, STAGES, CONSUMERS)
    v = make_ring(V, STAGES + (D == 128), CONSUMERS)
    o = q.tiles
    if D < 256:
        o = gl.allocate_shared_memory(O.dtype, [CONSUMERS] + tile, O.layout)
    fence_async_shared()  # the TMA unit sees the barriers
    tau2 = scale * LOG2E
    one = (Consumer(q, k, v, tau2, 0, CONSUMERS), o.index(0), O, LSE, work, MASKED)
    two = (Consumer(q, k, v, tau2, 1, CONSUMERS), o.index(1), O, LSE, work, MASKED)
    feed = (q, k, v, Q, K, V, work)
    if CONSUMERS == 2:
        gl.warp_specialize(
            [(consume, one), (consume, two), (produce, feed)], [4, 1], [240, 24]
        )
    else:
        last = Consumer(q, k, v, tau2, 2, CONSUMERS), o.index(2), O, LSE, work, MASKED
        gl.warp_specialize(
            [(consume, one), (consume, two), (consume, last), (produce, feed)],
            [4, 4, 1], [160, 160, 32],
        )


def choose(q, causal, tile):
    """(block_rows, block_cols, num_stages), measured on an H200, or from tile."""
    *_, n_q, d = q.shape
    rows = 128 if d > 64 or (causal and n_q <= 1024) else 192
    return chosen((rows, 64 if d > 128 else 128, 2 if d > 64 else 4), tile)


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v in 16 bits and L = log Σ e^s in fp32, for d up to 256.

    q and o are (batch, heads, N_q, d), k and v (batch, key heads, N_k, d), and L is
    (batch, heads, N_q). scale None is τ = 1/√d. causal True lets row r see the keys
    0 .. r + N_k − N_q, and "top-left" 0 .. r. A row that sees no key has o = 0 and
    L = −∞. tile replaces block_rows, block_cols or num_stages by name.
    """
    rows, cols, stages = choose(q, causal, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, 64, cols)
    check_covered(q, 256)
    q, scale = positive(q, scale)
    q, k, v = describable(q), describable(k), describable(v)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    dims, total, masked = max(64, padded(d)), batch * heads, causal or n_k % cols
    blocks, programs = -(-n_q // rows) * total, processors(q.device)
    launch(
        gluon_forward, (q.device, q.dtype, dims, rows, cols, stages, bool(masked)),
        (min(blocks, programs), 1, 1), describe(q, 64, dims), describe(k, cols, dims),
        describe(v, cols, dims), describe(o, 64, dims), lse, n_q, n_k,
        shift(causal, n_q, n_k), heads, heads // k.shape[1], total,
        *turns(blocks, total, crew_of(q, k), programs), scale,
        rows // 64, stages, bool(masked), num_warps=4, maxnreg=REGISTERS[rows // 64],
    )
    return o, lse
