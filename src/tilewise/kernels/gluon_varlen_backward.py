"""The backward pass in Gluon for packed documents: the five products, within bounds.

A program owns 128 keys of a document and walks the tiles of its queries that see them.
The steps are those of `gluon_backward`; tiles, and what is stored of dK and dV, end
with their document. Programs come to a tile of dQ in an order that changes, and the
last bits of dQ with it; dK and dV have one order. For Hopper, 16 bits and d up to 128.
"""

import torch
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

from tilewise.kernels.gluon_backward import HALF_DQ, NUMBERS, ROWS, allocate, step
from tilewise.kernels.host.launch import Descriptor, launch
from tilewise.kernels.shared.common import LOG2E, like
from tilewise.kernels.shared.common_backward import PAD
from tilewise.kernels.shared.gluon import check_covered
from tilewise.kernels.shared.gluon_backward import store_keys
from tilewise.kernels.shared.gluon_varlen import describe, place
from tilewise.kernels.shared.gluon_varlen_backward import (
    dq_kernel,
    fetch_tiles,
    heads_at_once,
    plan_keys,
    rows_kernel,
)
from tilewise.kernels.shared.roles_backward import add_walk
from tilewise.kernels.shared.varlen import describable, plan, prepare, shift_factors
from tilewise.kernels.shared.work_backward import KEYS

SIZES = "FIRST", "UNITS", "HEADS", "SLOTS", "N_PAD", "OF_K", "OF_Q", "CREW"
Constant = gl.constexpr


@gluon.jit
def consume(sm, walk, edges, DK, DV, scale, w: Constant):
    """Consumer w: dK and dV of 64 keys, and half of each tile of dQ."""
    D: Constant = sm.q.shape[4]
    ACC: Constant = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    dk, dv = gl.zeros([64, D], gl.float32, ACC), gl.zeros([64, D], gl.float32, ACC)
    tau2 = scale * LOG2E
    mbarrier.wait(sm.kv_full.index(0), 0)
    for g in range(walk.share):
        start = g * walk.tiles
        full = start + walk.masked
        # As in gluon_backward: what LLVM would take out of the loops is computed anew.
        for i in tl.range(start, full, disable_licm=True):
            see = (i - start) * walk.rows + walk.see, walk.left
            dk, dv = step(sm, 0, i, 0, dk, dv, tau2, see, w, True, False, True)
        for i in tl.range(full, start + walk.tiles, disable_licm=True):
            dk, dv = step(sm, 0, i, 0, dk, dv, tau2, (0, 0), w, False, False, True)
    head = walk.head // walk.group
    at = place(edges.key, edges.n_k, head, walk.col + 64 * w)
    store_keys(sm, DK, DV, at, walk.share * walk.tiles, 0, dk, dv, scale, w)
    tma.store_wait(pendings=0)


@gluon.jit(do_not_specialize=SIZES)
def main_kernel(
    Q, K, V, DO, DK, DV, DQ, LSE, DELTA, PLAN, FIRST, UNITS, HEADS, SLOTS, N_PAD, OF_K,
    OF_Q, CREW, scale, GROUP: Constant,
):
    """dK and dV of KEYS keys of a document, and what they add to dQ, in fp32."""
    B_R: Constant = Q.block_type.shape[3]
    walk, edges = plan_keys(
        PLAN, SLOTS, FIRST, UNITS, HEADS, N_PAD, OF_K, OF_Q, CREW, GROUP, B_R
    )
    if edges.n_k == 0:
        return
    sm = allocate(Q, K, LSE, DQ, 1)
    gl.warp_specialize(
        [
            (consume, (sm, walk, edges, DK, DV, scale, 0)),
            (consume, (sm, walk, edges, DK, DV, scale, 1)),
            (fetch_tiles, (sm, walk, edges, Q, DO, K, V, LSE, DELTA)),
            (add_walk, (sm, walk, 0, DQ, None)),
        ],
        [4, 1, 1],  # warps of all but the first, which has num_warps
        [240, 24, 24],  # registers a thread: what two warps give up, consumers get
    )


def backward(q, k, v, o, do, lse, cu_q, cu_k, *, dlse=None, scale=None, causal=False):
    """dQ, dK, dV of each document by itself, on Hopper.

    q, o, do (total_q, heads, d) and k, v (total_k, key heads, d) are fp16 or bf16, d up
    to 128; lse and dlse (total_q, heads) are natural, and dlse None is 0; cu_q and cu_k
    (documents + 1) are on the same device. Rows of no document stay unwritten.
    Heads take turns, as many at once as `heads_at_once` says, on one fp32 dQ.
    """
    tensors, per_row, scale = prepare(
        q, k, v, cu_q, cu_k, o, do, lse, dlse, scale, causal, (PAD, KEYS.value)
    )
    check_covered(q)
    q, k, v, o, do = map(describable, tensors)
    dq, dk, dv = map(like, (q, k, v))
    (n_q, heads, d), (n_k, kv_heads, _), count = q.shape, k.shape, len(cu_q) - 1
    n_pad, dims, group = per_row[2].shape[1], 64 if d <= 64 else 128, heads // kv_heads
    most, rows = heads_at_once(kv_heads, group, n_q, n_k, count, dims), ROWS[dims]
    dq32 = q.new_empty(most * group * n_pad * dims // 32, 32, dtype=torch.float32)
    plan_q, slots_q = plan(cu_q, cu_k, n_q, n_k, PAD)
    plan_k, slots_k = plan(cu_k, cu_q, n_k, n_q, KEYS.value)
    for first in range(0, kv_heads, most):
        now = min(most, kv_heads - first)
        launch(
            rows_kernel, (q.device, q.dtype, d, dlse is None),
            (slots_q * now * group, PAD * dims // 4096, 1), o, do, *per_row, dq32,
            plan_q, *o.stride()[:2], *do.stride()[:2], first * group, now * group, n_q,
            slots_q, n_pad, d, dims, 4096 // dims,
        )
        launch(
            main_kernel, (q.device, q.dtype, dims, group), (slots_k * now, 1, 1),
            describe(q, rows, dims), describe(k, 64, dims), describe(v, 64, dims),
            describe(do, rows, dims), describe(dk, 64, dims), describe(dv, 64, dims),
            Descriptor(dq32, (32, 1), (128, 32), HALF_DQ),
            *(Descriptor(x.view(-1), (1,), (rows,), NUMBERS) for x in per_row[2:]),
            plan_k, first, now, heads, slots_k, n_pad, *shift_factors(causal),
            512 if causal else 0, scale, group, num_warps=4, maxnreg=168,
        )
        launch(
            dq_kernel, (q.device, q.dtype, d),
            (slots_q * now * group, PAD * dims // 4096, 1), dq32, dq, plan_q,
            *dq.stride()[:2], first * group, now * group, slots_q, n_pad, scale,
            d, dims,
        )
    return dq, dk, dv
