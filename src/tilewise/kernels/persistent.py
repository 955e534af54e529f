"""Rung 7, a persistent grid: no more programs than the card holds, many blocks each.

A program of rung 6 starts, works and ends for one block of rows. Here it stays on its
processor and takes every num_programs-th block of the same order, longest first.
"""

import torch
import triton
import triton.language as tl

from tilewise.kernels._common import (
    LOG2E,
    choose,
    padded,
    positive,
    prepare,
    shift,
)
from tilewise.kernels.causal import crew_of, longest_first
from tilewise.kernels.descriptors import TILES, block, describable, describe

RESIDENT = 2  # programs at home on one processor


@triton.jit
def persistent(
    Q, K, V, O, LSE, n_q, n_k, shift, scale, heads, group, total, crew,
    DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):  # fmt: skip
    """Every num_programs-th block of rows; Q, K, V, O are descriptors."""
    tiles = tl.cdiv(n_q, BLOCK_ROWS)
    for turn in tl.range(tl.program_id(0), tiles * total, tl.num_programs(0)):
        i, head = longest_first(turn, tiles, total, crew)
        block(
            Q, K, V, O, LSE, i, head, n_q, n_k, shift, scale * LOG2E, heads, group,
            DIMS, BLOCK_ROWS, BLOCK_COLS,
        )  # fmt: skip


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
    persistent[(min(blocks, RESIDENT * processors(q.device)),)](
        describe(q, rows), describe(k, cols), describe(v, cols), describe(o, rows),
        lse, n_q, n_k, shift(causal, n_q, n_k), scale, heads, heads // k.shape[1],
        batch * heads, crew_of(q, k), padded(d), rows, cols, **launch,
    )  # fmt: skip
    return o, lse
