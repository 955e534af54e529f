"""The forward kernel of flash_attention_options_triton.py: that of `scores`, no lists.

Tensors are contiguous, so that a head's rows begin where those of the one before end.
d and d_v are the same numbers as D and D_V.
"""

import triton
import triton.language as tl

from tilewise.kernels.exp2 import finish, start
from tilewise.kernels.scores import step
from tilewise.kernels.shared.common import LOG2E, load_tile, store_tile
from tilewise.kernels.shared.window import span

SIZES = "n_q", "n_k", "low", "high", "diagonal", "seed"  # one kernel for all of them


@triton.jit
def part(x, head, n, D):
    """Where a head's n rows of D numbers begin."""
    return x + head.to(tl.int64) * n * D


@triton.jit
def visible(rows, cols, low, high, n_k):
    """Which keys of a tile each row sees: r + low .. r + high."""
    first, last = rows + low, tl.minimum(rows + high, n_k - 1)
    return (cols[None, :] >= first[:, None]) & (cols[None, :] <= last[:, None])


@triton.jit(do_not_specialize=SIZES)
def rows_kernel(
    Q, K, V, SLOPES, SINKS, O, LSE, n_q, n_k, low, high, diagonal, scale, cap, drop,
    seed, rest, d, d_v, HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    """o and L of ROWS rows of a head; the last rows, which see most keys, first."""
    tiles = tl.cdiv(n_q, ROWS)
    i, head = tiles - 1 - tl.program_id(0) % tiles, tl.program_id(0) // tiles
    k_head, v_head = part(K, head // GROUP, n_k, d), part(V, head // GROUP, n_k, d_v)
    rows = i * ROWS + tl.arange(0, ROWS)
    q = load_tile(part(Q, head, n_q, d), d, rows, n_q, D, DIMS)  # (B_r, d)
    slope = None if SLOPES is None else tl.load(SLOPES + head)
    acc, l, m = start(ROWS, DIMS_V)
    if SINKS is not None:  # a key of value 0
        l, m = l + 1, tl.zeros_like(m) + tl.load(SINKS + head % HEADS) * LOG2E
    ends = span(i, n_q, n_k, low, high, ROWS, COLS)
    for phase in tl.static_range(3):  # cut tiles, full ones, cut ones
        for col in tl.range(ends[phase], ends[phase + 1], COLS):
            cols = col + tl.arange(0, COLS)
            seen = None if phase == 1 else visible(rows, cols, low, high, n_k)
            n = None if phase == 1 else n_k
            k = load_tile(k_head, d, cols, n, D, DIMS)  # (B_c, d)
            v = load_tile(v_head, d_v, cols, n, D_V, DIMS_V)  # (B_c, d_v)
            acc, l, m = step(
                q, k, v, acc, l, m, rows, cols, head, HEADS, scale * LOG2E, diagonal,
                cap, slope, drop, seed, rest, seen,
            )
    o, lse = finish(acc, l, m)
    store_tile(part(O, head, n_q, d_v), d_v, rows, n_q, o, D_V, DIMS_V)
    tl.store(part(LSE, head, n_q, 1) + rows, lse, rows < n_q)
