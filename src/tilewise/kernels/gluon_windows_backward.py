"""The backward pass in Gluon for windows and sinks: the five products, within a band.

A program owns 128 keys and walks the tiles of queries that see them, which end where
the window ends and not with the last row. The steps are those of `gluon_backward`; each
asks whether the window cuts its tile. Walks are short, so every program goes on to
draw another. A sink has no key and no value: all that the pass knows of it is that L
contains it. Its gradient is a sum over rows, as in `scores_backward`.
"""

import torch
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

from tilewise.kernels.gluon_backward import HALF_DQ, NUMBERS, ROWS, allocate, step
from tilewise.kernels.host.descriptor import describable, strides_of
from tilewise.kernels.host.launch import Descriptor, launch
from tilewise.kernels.shared.common import LOG2E, like
from tilewise.kernels.shared.common_backward import prepare
from tilewise.kernels.shared.gluon import check_covered, describe, processors
from tilewise.kernels.shared.gluon_backward import (
    dq_kernel,
    rows_kernel,
    store_sums,
    sum_kernel,
)
from tilewise.kernels.shared.roles_backward import add_dq, fetch_tiles, hear
from tilewise.kernels.shared.scores import others, rules
from tilewise.kernels.shared.window import limits
from tilewise.kernels.shared.work_backward import (
    KEYS,
    Work,
    crew_of,
    last_of,
    share_out,
)

SIZES = "FIRST HEADS N_Q N_K N_PAD SHIFT WIDTH COLS UNITS CREW LAST".split()
Constant = gl.constexpr


@gluon.jit
def consume(sm, work, walk, DK, DV, SUMS, scale, w: Constant):
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
        for _ in range(walk.share):
            t, done = done, done + walk.tiles
            # As in gluon_backward: LLVM would take too much out of the loop.
            for i in tl.range(t, done, disable_licm=True):
                see = (i - t) * walk.rows + walk.see, walk.left, work.width
                dk, dv = step(
                    sm, 0, i, slot, dk, dv, tau2, see, w, True, D == 128, False
                )
        tma.store_wait(pendings=0)  # if the walk before had no tiles
        last = walk
        more, walk = hear(sm, work, r)
        r += 1
        store_sums(sm, work, last, DK, DV, SUMS, done, n, dk, dv, scale, w)
    tma.store_wait(pendings=0)


@gluon.jit(do_not_specialize=SIZES)
def main_kernel(
    Q, K, V, DO, DK, DV, DQ, LSE, DELTA, SUMS, WALKS, FIRST, HEADS, N_Q, N_K, N_PAD,
    SHIFT, WIDTH, COLS, UNITS, CREW, LAST, scale, GROUP: Constant, SHARE: Constant,
):
    """dK and dV of KEYS keys, and what they add to dQ, in fp32."""
    work = Work(
        FIRST, HEADS, N_Q, N_K, N_PAD, SHIFT, COLS, UNITS, CREW, LAST, GROUP, SHARE,
        Q.block_type.shape[2], 0, True, WIDTH,
    )
    walk, sm = work.walk(gl.program_id(0)), allocate(Q, K, LSE, DQ, 2)
    gl.warp_specialize(
        [
            (consume, (sm, work, walk, DK, DV, SUMS, scale, 0)),
            (consume, (sm, work, walk, DK, DV, SUMS, scale, 1)),
            (fetch_tiles, (sm, work, walk, Q, DO, K, V, LSE, DELTA, WALKS)),
            (add_dq, (sm, work, walk, DQ, WALKS)),
        ],
        [4, 1, 1],  # warps of all but the first, which has num_warps
        [240, 24, 24],  # registers a thread: what two warps give up, consumers get
    )


def backward(
    q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False, window=None, sinks=None
):
    """dQ, dK, dV, None for the slopes that there are not, and the gradient of sinks.

    Shapes and options are those of `tilewise.kernels.gluon_windows.forward`. sinks None
    has None for a gradient; the others are as in `scores_backward`. Heads take turns on
    one fp32 dQ as in `gluon_backward`, whose last bits change from call to call.
    """
    given = q, k, v, o, do, lse, dlse, scale, causal
    tensors, per_row, scale = prepare(*given, (128, KEYS.value))
    check_covered(q)
    rule = rules(q.shape[:2], None, None, sinks, 0.0, None)
    q, k, v, o, do = map(describable, tensors)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), (kv_heads, n_k) = q.shape, k.shape[1:3]
    n_pad, dims, total = per_row[2].shape[2], 64 if d <= 64 else 128, batch * kv_heads
    group, cols = heads // kv_heads, -(-n_k // KEYS.value)
    low, high = limits(causal, window, n_q, n_k)
    longer = bool(causal) and high - low >= n_k // 2  # early keys have longer walks
    sms, rows = processors(q.device), ROWS[dims]
    seen = min(n_k, max(high - low + 1, 2048))  # so dq32 has 4 MiB · d for many keys
    most, parts = share_out(total, group, cols, n_q, seen, dims, longer, sms)
    dq32 = q.new_empty(most * group * n_pad * dims // 32, 32, dtype=torch.float32)
    sums, keys = dq32, cols * KEYS.value  # not read if nothing is to be summed
    if parts > 1:
        sums = q.new_empty(2, most * parts, keys, dims, dtype=torch.float32)
    walks = q.new_empty(len(dq32) // dims // 2, dtype=torch.int32)  # how many began

    def box(x, cols):
        """Tiles (64, cols) of x for plain Triton."""
        return Descriptor(x, strides_of(x), (1, 1, 64, cols))

    for first in range(0, total, most):  # heads of K and V
        now, head = min(most, total - first), first * group
        launch(
            rows_kernel, (q.device, q.dtype, dims, dlse is None, False),
            (now * group * n_pad // 64, 1, 1), box(o, dims), box(do, dims),
            *per_row, dq32, walks, head, heads, n_q, n_pad, 64, dims,
        )
        units, crew = now * parts, crew_of(now * parts, cols, longer)
        launch(
            main_kernel, (q.device, q.dtype, dims, group, parts),
            (min(units * cols, sms), 1, 1),
            describe(q, rows, dims), describe(k, 64, dims), describe(v, 64, dims),
            describe(do, rows, dims), describe(dk, 64, dims), describe(dv, 64, dims),
            Descriptor(dq32, (32, 1), (128, 32), HALF_DQ),
            *(Descriptor(x.view(-1), (1,), (rows,), NUMBERS) for x in per_row[2:]),
            sums, walks, head, heads, n_q, n_k, n_pad, high, high - low, cols, units,
            crew, last_of(units, cols, crew, longer, sms), scale, group,
            group // parts, num_warps=4, maxnreg=168,
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
    lse, _, _, delta = per_row
    return dq, dk, dv, *others(None, None, rule.sinks, lse, delta[..., :n_q])
