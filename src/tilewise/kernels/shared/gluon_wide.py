"""dQ at d up to 256: a kernel of its own, and what it shares with that of dK and dV.

S = Q Kᵀ   P = e^{S − L}   dP = dO Vᵀ   dS = P ∘ (dP − δ)   dQ = τ dS K

A program has 128 rows of queries, 64 for each of two consumers, and walks the keys that
they see. A consumer starts S of the next tile and dQ of this one together, and dP when
both are there: then the exponentials run underneath it. There is room for two tiles of
K, which S and dQ read, and for one of V, which only dP reads.
"""

import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from tilewise.kernels.shared.common import LOG2E
from tilewise.kernels.shared.gluon import Ring, fragment, make_ring, mask, struct
from tilewise.kernels.shared.work import Reach

SIZES = "HEADS N_Q N_K N_PAD SHIFT".split()  # one compiled kernel for all of them
T = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))  # (64, 64)
Constant = gl.constexpr


@gluon.jit
def product(a, b):
    """Start a bᵀ (64, 64) of two tiles (64, d)."""
    s = gl.zeros([64, 64], gl.float32, T)
    return warpgroup_mma(a, b.permute((1, 0)), s, use_acc=False, is_async=True)


@gluon.jit
def as_operand(x, tile):
    """x (64, 64) in 16 bits, in registers still: the first operand of a product."""
    layout: Constant = gl.DotOperandLayout(0, fragment(tile.shape[1]), 2)
    return gl.convert_layout(x.to(tile.dtype), layout)


@gluon.jit
def send(X, at, tile, x):
    """A finished gradient (64, d), rounded, on its way to memory by way of a tile."""
    tile.store(x.to(X.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(X, at, tile.reshape(X.block_type.shape))
    tma.store_wait(0)


@struct
class Tiles:
    """What a program for dQ keeps in shared memory, and its rows."""

    q: Ring  # of one tile, in two parts (64, d)
    do: Ring
    k: Ring  # of two
    v: Ring  # of one
    reach: Reach
    heads: gl.tensor
    n_pad: gl.tensor
    group: Constant

    @gluon.jit
    def place(self):
        """(head, first row, tiles of keys) of this program: the longest come first."""
        blocks = gl.cdiv(self.reach.n_q, self.reach.rows)
        row = (blocks - 1 - gl.program_id(0) % blocks) * self.reach.rows
        tiles = self.reach.tiles_of(row, self.reach.rows)
        return gl.program_id(0) // blocks, row, tiles


@gluon.jit
def fetch_keys(sm, Q, DO, K, V):
    """The warp that fetches: Q and dO, then tiles of K and V, as room allows."""
    head, row, tiles = sm.place()
    batch, head = head // sm.heads, head % sm.heads
    sm.q.fill(0, Q, batch, head, row)
    sm.k.fill(0, K, batch, head // sm.group, 0)
    sm.do.fill(0, DO, batch, head, row)
    for j in range(tiles):
        sm.v.fill(j, V, batch, head // sm.group, j * 64)
        if j + 1 < tiles:
            sm.k.fill(j + 1, K, batch, head // sm.group, (j + 1) * 64)


@gluon.jit
def part(ring, w, j):
    """Part w of a ring's only tile, at an address that seems to change with j.

    If the compiler saw that it does not, it would keep the 32 descriptors of the tiles
    of Q and dO that wgmma reads, in registers that dQ needs, and spill 17.
    """
    tile = ring.tiles.index(w + (j >> 30))
    return tile.reshape([tile.shape[2], tile.shape[3]])


@gluon.jit
def scores_gradient(sm, do, j, s, row, full, tau2, MASKED: Constant):
    """dS of tile j in 16 bits. row: (L, δ, the last key) of each row.

    All rows see the first `full` tiles whole.
    """
    sm.v.wait(j)
    dp = product(do, sm.v.tile(j))
    p = gl.exp2(s * tau2 - row[0][:, None])
    if MASKED:
        if j >= full:
            p = gl.maximum(mask(p, row[2], j * 64), 0.0)
    dp = warpgroup_mma_wait(0, deps=(dp,))
    sm.v.free(j)
    return as_operand(p * (dp - row[1][:, None]), sm.k.tile(0))


@gluon.jit
def make_dq(sm, DQ, L, DELTA, scale, w: Constant, MASKED: Constant):
    """Consumer w: dQ of 64 rows."""
    D: Constant = sm.k.tiles.shape[4]
    head, first, tiles = sm.place()
    first += 64 * w
    rows = first + gl.arange(0, 64, gl.SliceLayout(1, T))
    at = head.to(gl.int64) * sm.n_pad + rows
    last = gl.minimum(rows + sm.reach.shift, sm.reach.n_k - 1)
    row = gl.load(L + at), gl.load(DELTA + at), last
    own = sm.reach.tiles_of(first, 64)
    full = sm.reach.full_tiles(first)
    tau2 = scale * LOG2E
    dq = gl.zeros([64, D], gl.float32, fragment(D))
    sm.q.wait(0)
    sm.k.wait(0)
    s = product(sm.q.tile(0, w), sm.k.tile(0))
    s = warpgroup_mma_wait(0, deps=(s,))
    sm.do.wait(0)
    ds = scores_gradient(sm, sm.do.tile(0, w), 0, s, row, full, tau2, MASKED)
    for j in tl.range(0, own - 1, disable_licm=True):
        sm.k.wait(j + 1)
        s = product(part(sm.q, w, j), sm.k.tile(j + 1))
        dq = warpgroup_mma(ds, sm.k.tile(j), dq, is_async=True)
        s, dq = warpgroup_mma_wait(0, deps=(s, dq))
        sm.k.free(j)
        do = part(sm.do, w, j)
        ds = scores_gradient(sm, do, j + 1, s, row, full, tau2, MASKED)
    dq = warpgroup_mma(ds, sm.k.tile(own - 1), dq, is_async=True)
    dq = warpgroup_mma_wait(0, deps=(dq,))
    sm.k.free(own - 1)
    for j in range(own, tiles):  # what only the other consumer's rows see
        sm.k.wait(j)
        sm.k.free(j)
        sm.v.wait(j)
        sm.v.free(j)
    at = [head // sm.heads, head % sm.heads, first, 0]
    send(DQ, at, sm.q.tile(0, w), scale * dq)


@gluon.jit(do_not_specialize=SIZES)
def dq_kernel(
    Q, K, V, DO, DQ, L, DELTA, HEADS, N_Q, N_K, N_PAD, SHIFT, scale,
    GROUP: Constant, MASKED: Constant,
):
    """dQ of 128 rows; Q … DQ are descriptors."""
    sm = Tiles(
        make_ring(Q, 1, 2, 2), make_ring(DO, 1, 2, 2), make_ring(K, 2, 2),
        make_ring(V, 1, 2), Reach(N_Q, N_K, SHIFT, 128, 64), HEADS, N_PAD, GROUP,
    )
    fence_async_shared()  # the TMA unit sees the barriers
    gl.warp_specialize(
        [
            (make_dq, (sm, DQ, L, DELTA, scale, 0, MASKED)),
            (make_dq, (sm, DQ, L, DELTA, scale, 1, MASKED)),
            (fetch_keys, (sm, Q, DO, K, V)),
        ],
        [4, 1], [240, 24],
    )
