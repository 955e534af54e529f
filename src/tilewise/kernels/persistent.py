"""Rung 7, warp specialisation in a persistent grid: one warp fetches, others compute.

With warp_specialize Triton gives the loop's loads to a warp of their own, which runs
ahead of two groups of four warps that own half of the rows each. A program stays on its
processor and takes one block of rows after another, so that the grid is as wide as the
card. On Hopper Triton asks for descriptors made in the kernel, four warps and a single
loop: where a mask is wanted at all, every tile has it.
"""

import torch
import triton
import triton.language as tl

from tilewise.kernels._common import (
    LOG2E,
    choose,
    head_of,
    padded,
    positive,
    prepare,
    shift,
    store_tile,
)
from tilewise.kernels.causal import crew_of, longest_first, reach
from tilewise.kernels.descriptors import describable
from tilewise.kernels.exp2 import finish, start, step

TILES = {64: (128, 128, 4, 2), 128: (128, 128, 4, 2), 256: (64, 64, 4, 2)}


@triton.jit
def described(
    x, strides, head, heads, group, n, D: tl.constexpr, DIMS: tl.constexpr,
    ROWS: tl.constexpr,
):  # fmt: skip
    """The descriptor of a head of x, (n, D), for tiles of ROWS rows."""
    return tl.make_tensor_descriptor(
        head_of(x, strides, head, heads, group), [n, D], [strides[2], 1], [ROWS, DIMS]
    )


@triton.jit
def persistent(
    Q, K, V, O, LSE, q_strides, k_strides, v_strides, o_strides, n_q, n_k, shift, scale,
    heads, group, total, crew, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr, MASKED: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):  # fmt: skip
    """Every num_programs-th block of rows, longest first."""
    tiles = tl.cdiv(n_q, BLOCK_ROWS)
    for program in tl.range(tl.program_id(0), tiles * total, tl.num_programs(0)):
        i, head = longest_first(program, tiles, total, crew)
        q_desc = described(Q, q_strides, head, heads, 1, n_q, D, DIMS, BLOCK_ROWS)
        o_head = head_of(O, o_strides, head, heads, 1)
        k_desc = described(K, k_strides, head, heads, group, n_k, D, DIMS, BLOCK_COLS)
        v_desc = described(V, v_strides, head, heads, group, n_k, D, DIMS, BLOCK_COLS)
        rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
        last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
        q = q_desc.load([i * BLOCK_ROWS, 0])  # (B_r, d)
        acc, l, m = start(BLOCK_ROWS, DIMS)
        _, end = reach(i, n_q, n_k, shift, BLOCK_ROWS, BLOCK_COLS)
        for j in tl.range(0, end, BLOCK_COLS, warp_specialize=SPECIALIZE):
            k = k_desc.load([j, 0])  # (B_c, d)
            v = v_desc.load([j, 0])
            seen = None
            if MASKED:
                cols = j + tl.arange(0, BLOCK_COLS)
                seen = cols[None, :] <= last[:, None]
            acc, l, m = step(q, k, v, acc, l, m, scale * LOG2E, seen)
        o, lse = finish(acc, l, m)
        store_tile(o_head, o_strides[2], rows, n_q, o, D, DIMS)
        tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)


def processors(device):
    """How many multiprocessors the card has; a few where there is no card."""
    if device.type != "cuda":
        return 4
    return torch.cuda.get_device_properties(device).multi_processor_count


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L, as rung 3 gives it, with its arguments."""
    rows, cols, launch = choose(TILES, q, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols)
    q, scale = positive(q, scale)
    q, k, v = describable(q), describable(k), describable(v)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    blocks = triton.cdiv(n_q, rows) * batch * heads
    triton.set_allocator(  # room in HBM for descriptors made in the kernel
        lambda size, _, stream: torch.empty(size, dtype=torch.int8, device=q.device)
    )
    persistent[(min(blocks, processors(q.device)),)](
        q, k, v, o, lse, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        shift(causal, n_q, n_k), scale, heads, heads // k.shape[1], batch * heads,
        crew_of(q, k), d, padded(d), rows, cols, bool(causal or n_k % cols),
        q.dtype != torch.float32, **launch,
    )  # fmt: skip
    return o, lse
