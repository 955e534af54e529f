"""Gluon for packed documents: the same consumers, other blocks of rows.

Softmax, steps and turns are those of `gluon_forward`. What differs is who comes when: a
program draws its next block, since only the GPU knows how long the documents are. And
tiles end with their document; keys are masked in every one, since none is known to fill
its tiles. For Hopper, 16 bits and d a multiple of 8 up to 128.
"""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    tma,
    warpgroup_mma_wait,
)

from tilewise.kernels.gluon_forward import LOG2E, REGISTERS, Consumer, walk
from tilewise.kernels.host.launch import launch
from tilewise.kernels.shared.common import like, positive
from tilewise.kernels.shared.gluon import (
    check_covered,
    make_ring,
    processors,
    scale_rows,
)
from tilewise.kernels.shared.gluon_varlen import (
    Packed,
    describe,
    fill,
    make_tickets,
    place,
)
from tilewise.kernels.shared.varlen import (
    FIELDS,
    check_packed,
    describable,
    plan,
    room_of,
    shift_factors,
)
from tilewise.kernels.shared.work import chosen

SIZES = ["total", "slots", "of_k", "of_q", "heads", "group", "room"]


@gluon.jit
def produce(q, k, v, Q, K, V, packed, tickets):
    """Producer, one warp: copy tiles as far ahead as q, k, v have empty buffers."""
    block = 0  # blocks of rows so far
    tile = 0  # tiles of keys so far
    turn = 0
    number = gl.program_id(0)
    while number < packed.blocks():
        tickets.tell(turn, number)
        reach, row_0, key_0, row, head, keys = packed.block(number)
        if keys > 0:
            fill(q, block, Q, row_0, reach.n_q, head, row)
            block += 1
            for j in range(keys):
                col = (keys - 1 - j) * packed.cols  # from the diagonal down
                fill(k, tile, K, key_0, reach.n_k, head // packed.group, col)
                fill(v, tile, V, key_0, reach.n_k, head // packed.group, col)
                tile += 1
        turn += 1
        number = tickets.draw()
    tickets.tell(turn, number)  # more than there are: the end


@gluon.jit
def consume(me, o_smem, O, LSE, total, packed, tickets):
    """A consumer's rows of every block that this program takes."""
    block = 0  # blocks of rows so far
    tile = 0  # tiles of keys so far
    turn = 0
    number = tickets.hear(turn)
    if me.w == me.count - 1:
        me.pass_turn()  # consumer 0 goes first
    while number < packed.blocks():
        reach, row_0, key_0, row, head, keys = packed.block(number)
        if keys > 0:
            row += 64 * me.w
            own = reach.tiles_of(row, 64)
            for _ in range(keys - own):
                me.skip(tile)
                tile += 1
            me.q.wait(block)
            q = me.q.tile(block, me.w)
            acc, l, m, tile, rows = walk(me, q, reach, tile, row, own, True)
            me.q.free(block)
            l = gl.convert_layout(gl.sum(l, 1), m.type.layout)
            l = gl.where(l == 0, 1.0, l)  # no key was seen: o = 0, lse = −∞
            lse = (m + gl.log2(l)) / LOG2E
            at = LSE + head.to(gl.int64) * total + row_0 + rows
            gl.store(at, lse, rows < reach.n_q)
            acc = warpgroup_mma_wait(0, deps=(acc,))
            me.v.free(tile)
            o = scale_rows(acc, 1 / l).to(O.dtype)
            tma.store_wait(0)  # the last block has left the buffer
            o_smem.reshape([64, o.shape[1]]).store(o)
            fence_async_shared()
            tma.async_copy_shared_to_global(
                O, place(row_0, reach.n_q, head, row), o_smem
            )
            tile += 1
            block += 1
        turn += 1
        number = tickets.hear(turn)
    if me.w == 0:
        me.wait_turn()  # pairs with the last consumer's last pass
    tma.store_wait(0)


@gluon.jit(do_not_specialize=SIZES)
def gluon_varlen(
    Q, K, V, O, LSE, PLAN, total, slots, of_k, of_q, heads, group, room, scale,
    CONSUMERS: gl.constexpr, STAGES: gl.constexpr,
):
    """As many programs as processors, and they draw blocks; Q … O are descriptors."""
    COLS: gl.constexpr = K.block_type.shape[3]
    packed = Packed(
        PLAN, slots, of_k, of_q, heads, group, room, 64 * CONSUMERS, COLS
    )
    q = make_ring(Q, 2, CONSUMERS, CONSUMERS)
    k = make_ring(K, STAGES, CONSUMERS)
    v = make_ring(V, STAGES, CONSUMERS)
    o = gl.allocate_shared_memory(O.dtype, [CONSUMERS] + O.block_type.shape, O.layout)
    tickets = make_tickets(PLAN + FIELDS * slots, CONSUMERS)
    fence_async_shared()  # the TMA unit sees the barriers
    tau2 = scale * LOG2E
    rest = (O, LSE, total, packed, tickets)
    one = (Consumer(q, k, v, tau2, 0, CONSUMERS), o.index(0)) + rest
    two = (Consumer(q, k, v, tau2, 1, CONSUMERS), o.index(1)) + rest
    feed = (q, k, v, Q, K, V, packed, tickets)
    if CONSUMERS == 2:
        gl.warp_specialize(
            [(consume, one), (consume, two), (produce, feed)], [4, 1], [232, 40]
        )
    else:
        last = (Consumer(q, k, v, tau2, 2, CONSUMERS), o.index(2)) + rest
        gl.warp_specialize(
            [(consume, one), (consume, two), (consume, last), (produce, feed)],
            [4, 4, 1], [160, 160, 32],
        )


def choose(q, documents, causal, tile):
    """(block_rows, block_cols, num_stages): as in gluon_forward, or from tile.

    The length that counts there is that of a mean document here.
    """
    short = causal and len(q) <= 1024 * documents
    rows = 128 if q.shape[-1] > 64 or short else 192
    return chosen((rows, 128, 2 if q.shape[-1] > 64 else 4), tile)


def forward(q, k, v, cu_q, cu_k, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L of each document by itself, on Hopper.

    q (total_q, heads, d) and k, v (total_k, key heads, d) are fp16 or bf16, d up to
    128; cu_q and cu_k (documents + 1) are on the same device. o is like q, and L
    (total_q, heads) is fp32. causal is per document. The host does not read the
    lengths, and rows of no document stay unwritten. tile replaces block_rows,
    block_cols or num_stages by name.
    """
    check_packed(q, k, v, cu_q, cu_k, (64, 64), causal=causal)
    check_covered(q)
    rows, cols, stages = choose(q, len(cu_q) - 1, causal, tile)
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    q, scale = positive(q, scale)
    q, k, v = map(describable, (q, k, v))
    o, lse = like(q), q.new_empty(q.shape[1::-1], dtype=torch.float32)
    (total, heads, d), kv_heads = q.shape, k.shape[1]
    dims, (spans, slots) = 64 if d <= 64 else 128, plan(cu_q, cu_k, total, len(k), rows)
    launch(
        gluon_varlen, (q.device, q.dtype, dims, rows, cols, stages),
        (min(slots * heads, processors(q.device)), 1, 1),
        describe(q, 64, dims), describe(k, cols, dims), describe(v, cols, dims),
        describe(o, 64, dims), lse, spans, total, slots, *shift_factors(causal), heads,
        heads // kv_heads, room_of(k), scale, rows // 64, stages, num_warps=4,
        maxnreg=REGISTERS[rows // 64],
    )
    return o, lse.mT
