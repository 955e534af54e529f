"""Tensor descriptors: the TMA unit of the GPU fetches whole tiles.

The host describes each tensor once, in four dimensions. A tile is then four coordinates
to one instruction of one thread. No thread needs pointers or a mask, because the engine
reads zeros outside of a head's rows and dimensions and writes nothing there.
Below Hopper, Triton turns the descriptors back into pointers.
"""

import triton
import triton.language as tl

from tilewise.kernels.exp2 import finish, start, step
from tilewise.kernels.host.descriptor import describable, describe
from tilewise.kernels.host.launch import launch
from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    padded,
    positive,
    prepare,
    shift,
)
from tilewise.kernels.shared.order import crew_of, longest_first, reach

TILES = {64: (64, 128, 4, 2), 128: (64, 64, 4, 3), 256: (128, 64, 8, 2)}
SIZES = "n_q", "n_k", "shift", "heads", "group", "total", "crew"


# --8<-- [start:load]
@triton.jit
def load(x, batch, head, row, ROWS: tl.constexpr, DIMS: tl.constexpr):
    """A tile (ROWS, DIMS) of a head through its tensor's descriptor."""
    return x.load([batch, head, row, 0]).reshape(ROWS, DIMS)
    # --8<-- [end:load]


@triton.jit
def store(x, batch, head, row, tile, ROWS: tl.constexpr, DIMS: tl.constexpr):
    """Write a tile; the engine leaves out what lies outside of the head."""
    x.store([batch, head, row, 0], tile.to(x.dtype).reshape(1, 1, ROWS, DIMS))


@triton.jit
def walk(
    q, acc, l, m, K, V, batch, head, last, lo, hi, tau2,
    DIMS: tl.constexpr, BLOCK_COLS: tl.constexpr, MASKED: tl.constexpr,
):
    """Take in the tiles from key lo to key hi, with the mask or without."""
    for j in tl.range(lo, hi, BLOCK_COLS):
        k = load(K, batch, head, j, BLOCK_COLS, DIMS)  # (B_c, d)
        v = load(V, batch, head, j, BLOCK_COLS, DIMS)
        seen = None
        if MASKED:
            cols = j + tl.arange(0, BLOCK_COLS)
            seen = cols[None, :] <= last[:, None]
        acc, l, m = step(q, k, v, acc, l, m, tau2, seen)
    return acc, l, m


@triton.jit(do_not_specialize=SIZES)  # one compiled kernel for all of them
def descriptors(
    Q, K, V, O, LSE, n_q, n_k, shift, scale, heads, group, total, crew,
    DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head; Q, K, V, O are descriptors."""
    tiles, tau2 = tl.cdiv(n_q, BLOCK_ROWS), scale * LOG2E
    i, head = longest_first(tl.program_id(0), tiles, total, crew)
    batch, q_head, k_head = head // heads, head % heads, head % heads // group
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
    q = load(Q, batch, q_head, i * BLOCK_ROWS, BLOCK_ROWS, DIMS)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS)
    full, end = reach(i, n_q, n_k, shift, BLOCK_ROWS, BLOCK_COLS)
    acc, l, m = walk(
        q, acc, l, m, K, V, batch, k_head, last, 0, full, tau2, DIMS, BLOCK_COLS, False
    )
    acc, l, m = walk(
        q, acc, l, m, K, V, batch, k_head, last, full, end, tau2, DIMS, BLOCK_COLS, True
    )
    o, lse = finish(acc, l, m)
    store(O, batch, q_head, i * BLOCK_ROWS, o, BLOCK_ROWS, DIMS)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)


def forward(q, k, v, *, scale=None, causal=False, **tile):
    """o = softmax(τ q kᵀ) v and L = log Σ e^s, through tensor descriptors.

    q (batch, heads, N_q, d) and k, v (batch, key heads, N_k, d) are fp16, bf16 or fp32;
    o has q's shape and dtype, and L (batch, heads, N_q) is fp32. scale None is τ =
    1/√d. causal True lets row r see the keys 0 .. r + N_k − N_q, and "top-left" 0 .. r.
    A row that sees no key has o = 0 and L = −∞. tile replaces numbers of TILES by name:
    block_rows, block_cols, num_warps, num_stages.
    """
    rows, cols, options = choose(TILES, q, tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols)
    q, scale = positive(q, scale)
    q, k, v = describable(q), describable(k), describable(v)
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    key = q.device, q.dtype, d, rows, cols, *options.values()
    launch(
        descriptors, key, (-(-n_q // rows) * batch * heads, 1, 1),
        describe(q, rows), describe(k, cols), describe(v, cols), describe(o, rows),
        lse, n_q, n_k, shift(causal, n_q, n_k), scale, heads, heads // k.shape[1],
        batch * heads, crew_of(q, k), padded(d), rows, cols, **options,
    )
    return o, lse
