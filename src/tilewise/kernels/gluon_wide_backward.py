"""The backward pass for d up to 256, in Gluon for Hopper: one gradient a consumer.

Sᵀ = K Qᵀ   Pᵀ = e^{Sᵀ − L}   dPᵀ = V dOᵀ   dSᵀ = Pᵀ ∘ (dPᵀ − δ)
dV = Pᵀ dO   dK = τ dSᵀ Q   dQ = τ dS K

At d = 256, dK and dV of 64 keys fill half of a processor's registers, so a program has
no more keys than these. If it added to dQ in memory, as `gluon_backward` does, it would
add 64 KiB for each tile of queries, as many bytes as it loads. So dQ has a kernel of
its own, which computes S and dP once more: seven products instead of five, but nothing
is added in memory, and each call gives the same bits.

In the first kernel, consumer 0 makes P and keeps dV, consumer 1 makes dP and dS and
keeps dK. All that one tells the other is P, in fp32 by way of shared memory. In the
second kernel each consumer has dQ of 64 rows and walks the keys, as the forward pass.
"""

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

from tilewise.kernels.gluon_backward import NUMBERS
from tilewise.kernels.host.descriptor import describable, strides_of
from tilewise.kernels.host.launch import Descriptor, launch
from tilewise.kernels.shared.common import LOG2E, like, padded, shift
from tilewise.kernels.shared.common_backward import prepare
from tilewise.kernels.shared.gluon import (
    Ring,
    check_covered,
    describe,
    fragment,
    make_ring,
    struct,
)
from tilewise.kernels.shared.gluon_backward import barriers, rows_kernel
from tilewise.kernels.shared.gluon_wide import (
    SIZES,
    T,
    as_operand,
    dq_kernel,
    product,
    send,
)
from tilewise.kernels.shared.mask_backward import until

Memory, Constant = gl.shared_memory_descriptor, gl.constexpr
# Where Pᵀ (64, 64) lies: 16 bytes of a thread, those of its warp, then all of the rest.
THREAD, WARP = ([0, 1], [0, 8]), ([0, 2], [0, 4], [1, 0], [2, 0], [4, 0])
REST = [0, 16], [0, 32], [8, 0], [16, 0], [32, 0]
SIDE_BY_SIDE = gl.constexpr(gl.SharedLinearLayout([*THREAD, *WARP, *REST]))


@struct
class Shared:
    """What a program for dK and dV keeps in shared memory."""

    q: Ring  # of two tiles (64, d)
    do: Ring
    k: Ring  # of one
    v: Ring
    lse: Memory  # (2, 64): L of the rows of each tile of Q
    delta: Memory  # δ of those of dO
    p: Memory  # (2, 64, 64): Pᵀ in fp32
    p_full: Memory  # consumer 0 has stored Pᵀ
    p_empty: Memory  # consumer 1 has loaded it


@struct
class Walk:
    """A program's 64 keys, and the tiles of 64 queries that see them."""

    batch: gl.tensor
    head: gl.tensor  # the first query head of the group, in its batch entry
    kv_head: gl.tensor
    col: gl.tensor  # the first key
    first: gl.tensor  # of each head: the first tile that sees a key,
    masked: gl.tensor  # how many from there need a mask,
    tiles: gl.tensor  # and how many there are
    see: gl.tensor  # how far after col the first tile's first row sees
    left: gl.tensor  # how far after col the last key lies
    group: Constant


@gluon.jit
def walk_of(HEADS, N_Q, N_K, SHIFT, GROUP: Constant):
    """This program's Walk. Row r sees the keys 0 .. min(r + SHIFT, N_K − 1)."""
    cols = gl.cdiv(N_K, 64)
    head, col = gl.program_id(0) // cols * GROUP, gl.program_id(0) % cols * 64
    end = gl.cdiv(N_Q, 64)
    first = gl.minimum(gl.maximum(col - SHIFT, 0) // 64, end)
    full = gl.cdiv(gl.maximum(col + 63 - SHIFT, 0), 64)
    masked = gl.where(col + 64 > N_K, end, gl.minimum(full, end)) - first
    see, left = first * 64 + SHIFT - col, N_K - 1 - col
    batch, head = head // HEADS, head % HEADS
    return Walk(
        batch, head, head // GROUP, col, first, masked, end - first, see, left, GROUP
    )


@gluon.jit
def fill(ring, X, at, numbers, N, number, i):
    """Start to copy tile i of X and its rows' numbers, once there is room."""
    s, full = i & 1, ring.full.index(i & 1)
    mbarrier.wait(ring.empty.index(s), (i >> 1 & 1) ^ 1)
    mbarrier.expect(full, X.block_type.nbytes + N.block_type.nbytes)
    tma.async_copy_global_to_shared(X, at, full, ring.tiles.index(s))
    tma.async_copy_global_to_shared(N, number, full, numbers.index(s))


@gluon.jit
def fetch_queries(sm, walk, Q, DO, K, V, L, DELTA, HEADS, N_PAD):
    """The warp that fetches: K and V, then Q with L and dO with δ, as room allows."""
    if walk.tiles > 0:
        sm.k.fill(0, K, walk.batch, walk.kv_head, walk.col)
        sm.v.fill(0, V, walk.batch, walk.kv_head, walk.col)
    for i in range(walk.group * walk.tiles):
        head = walk.head + i // walk.tiles
        row = (walk.first + i % walk.tiles) * 64
        at, number = [walk.batch, head, row, 0], walk.batch * HEADS + head
        fill(sm.q, Q, at, sm.lse, L, [number * N_PAD + row], i)
        fill(sm.do, DO, at, sm.delta, DELTA, [number * N_PAD + row], i)


@gluon.jit
def probabilities(sm, walk, i, st, tau2, MASKED: Constant):
    """Pᵀ of tile i, stored for consumer 1, and in 16 bits."""
    lse = sm.lse.index(i & 1).load(gl.SliceLayout(0, T))
    fence_async_shared()  # what the TMA unit writes there next comes after this read
    sm.q.free(i)
    pt = gl.exp2(st * tau2 - lse[None, :])
    if MASKED:
        tile = i if walk.group == 1 else i % walk.tiles
        if tile < walk.masked:
            pt = until(pt, tile * 64 + walk.see, walk.left, 0)
    mbarrier.wait(sm.p_empty.index(i & 1), (i >> 1 & 1) ^ 1)
    sm.p.index(i & 1).store(pt)
    mbarrier.arrive(sm.p_full.index(i & 1), count=1)
    return as_operand(pt, sm.k.tile(0))


@gluon.jit
def make_dv(sm, walk, DV, tau2, MASKED: Constant):
    """Consumer 0: dV of the program's keys."""
    D: Constant = sm.k.tiles.shape[4]
    dv = gl.zeros([64, D], gl.float32, fragment(D))
    n = walk.group * walk.tiles
    if n > 0:
        sm.k.wait(0)
        sm.q.wait(0)
        st = product(sm.k.tile(0), sm.q.tile(0))
        st = warpgroup_mma_wait(0, deps=(st,))
        # --8<-- [start:dv]
        for i in tl.range(0, n - 1, disable_licm=True):
            p = probabilities(sm, walk, i, st, tau2, MASKED)
            sm.do.wait(i)
            dv = warpgroup_mma(p, sm.do.tile(i), dv, is_async=True)
            sm.q.wait(i + 1)
            st = product(sm.k.tile(0), sm.q.tile(i + 1))  # queues behind dV
            dv = warpgroup_mma_wait(1, deps=(dv,))
            sm.do.free(i)
            st = warpgroup_mma_wait(0, deps=(st,))
        # --8<-- [end:dv]
        p = probabilities(sm, walk, n - 1, st, tau2, MASKED)
        sm.do.wait(n - 1)
        dv = warpgroup_mma(p, sm.do.tile(n - 1), dv, is_async=True)
        dv = warpgroup_mma_wait(0, deps=(dv,))
        sm.do.free(n - 1)  # and its room is free when consumer 1 has let go of it, too
        mbarrier.wait(sm.do.empty.index((n - 1) & 1), (n - 1) >> 1 & 1)
    at = [walk.batch, walk.kv_head, walk.col, 0]
    send(DV, at, sm.do.tile(gl.maximum(n - 1, 0)), dv)


@gluon.jit
def scores_gradient(sm, i, dpt):
    """dSᵀ of tile i in 16 bits, from Pᵀ of consumer 0."""
    delta = sm.delta.index(i & 1).load(gl.SliceLayout(0, T))
    fence_async_shared()
    sm.do.free(i)
    mbarrier.wait(sm.p_full.index(i & 1), i >> 1 & 1)
    dst = sm.p.index(i & 1).load(T) * (dpt - delta[None, :])
    mbarrier.arrive(sm.p_empty.index(i & 1), count=1)
    return as_operand(dst, sm.k.tile(0))


@gluon.jit
def make_dk(sm, walk, DK, scale):
    """Consumer 1: dK of the program's keys, in the same steps as make_dv."""
    D: Constant = sm.k.tiles.shape[4]
    dk = gl.zeros([64, D], gl.float32, fragment(D))
    n = walk.group * walk.tiles
    if n > 0:
        sm.v.wait(0)
        sm.do.wait(0)
        dpt = product(sm.v.tile(0), sm.do.tile(0))
        dpt = warpgroup_mma_wait(0, deps=(dpt,))
        for i in tl.range(0, n - 1, disable_licm=True):
            ds = scores_gradient(sm, i, dpt)
            sm.q.wait(i)
            dk = warpgroup_mma(ds, sm.q.tile(i), dk, is_async=True)
            sm.do.wait(i + 1)
            dpt = product(sm.v.tile(0), sm.do.tile(i + 1))
            dk = warpgroup_mma_wait(1, deps=(dk,))
            sm.q.free(i)
            dpt = warpgroup_mma_wait(0, deps=(dpt,))
        ds = scores_gradient(sm, n - 1, dpt)
        sm.q.wait(n - 1)
        dk = warpgroup_mma(ds, sm.q.tile(n - 1), dk, is_async=True)
        dk = warpgroup_mma_wait(0, deps=(dk,))
    at = [walk.batch, walk.kv_head, walk.col, 0]
    send(DK, at, sm.q.tile(gl.maximum(n - 1, 0)), scale * dk)  # S of it is long there


@gluon.jit(do_not_specialize=SIZES)
def keys_kernel(
    Q, K, V, DO, DK, DV, L, DELTA, HEADS, N_Q, N_K, N_PAD, SHIFT, scale,
    GROUP: Constant, MASKED: Constant,
):
    """dK and dV of 64 keys; Q … DELTA are descriptors."""
    walk = walk_of(HEADS, N_Q, N_K, SHIFT, GROUP)
    sm = Shared(
        make_ring(Q, 2, 2), make_ring(DO, 2, 2), make_ring(K, 1, 1), make_ring(V, 1, 1),
        gl.allocate_shared_memory(gl.float32, [2, 64], L.layout),
        gl.allocate_shared_memory(gl.float32, [2, 64], L.layout),
        gl.allocate_shared_memory(gl.float32, [2, 64, 64], SIDE_BY_SIDE),
        barriers(2), barriers(2),
    )
    for i in gl.static_range(2):
        mbarrier.init(sm.p_full.index(i), count=1)
        mbarrier.init(sm.p_empty.index(i), count=1)
    fence_async_shared()  # the TMA unit sees the barriers
    gl.warp_specialize(
        [
            (make_dv, (sm, walk, DV, scale * LOG2E, MASKED)),
            (make_dk, (sm, walk, DK, scale)),
            (fetch_queries, (sm, walk, Q, DO, K, V, L, DELTA, HEADS, N_PAD)),
        ],
        [4, 1], [240, 24],
    )


def backward(q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False):
    """dQ, dK, dV as from backward_split; for Hopper. ValueError for 32 bits, d > 256.

    The same input gives the same bits each time. An fp32 dQ is not needed.
    """
    given = q, k, v, o, do, lse, dlse, scale, causal
    tensors, per_row, scale = prepare(*given, (64, 64))
    check_covered(q, 256)
    q, k, v, o, do = map(describable, tensors)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), (kv_heads, n_k) = q.shape, k.shape[1:3]
    n_pad, dims, group = per_row[2].shape[2], max(64, padded(d)), heads // kv_heads
    masked, key = bool(causal or n_k % 64), (q.device, q.dtype, dims)
    plain = [Descriptor(x, strides_of(x), (1, 1, 64, dims)) for x in (o, do)]
    launch(
        rows_kernel, (*key, dlse is None, True, "no fp32 dQ"),
        (batch * heads * n_pad // 64, 1, 1),
        *plain, *per_row, None, None, 0, heads, n_q, n_pad, 64, dims,
    )
    inputs = [describe(x, 64, dims) for x in (q, k, v, do)]
    numbers = (Descriptor(x.view(-1), (1,), (64,), NUMBERS) for x in per_row[2:])
    sizes = heads, n_q, n_k, n_pad, shift(causal, n_q, n_k), scale, group, masked
    launch(
        keys_kernel, (*key, group, masked), (batch * kv_heads * -(-n_k // 64), 1, 1),
        *inputs, describe(dk, 64, dims), describe(dv, 64, dims), *numbers, *sizes,
        num_warps=4, maxnreg=168,
    )
    launch(
        dq_kernel, (*key, group, masked), (batch * heads * -(-n_q // 128), 1, 1),
        *inputs, describe(dq, 64, dims), *per_row[2:], *sizes, num_warps=4, maxnreg=168,
    )
    return dq, dk, dv
