"""The backward kernels of flash_attention_options_triton.py, from `scores_backward`.

Loads take the distance of two rows as a number, d or d_v, and stores as a constant, D
or D_V. With one name for both, the compiler would keep the offsets of k's rows in
registers until dk is stored at them, and spill four times as much.
"""

import triton
import triton.language as tl

from tilewise.alone.options_forward import SIZES, part, visible
from tilewise.kernels.scores_backward import tile
from tilewise.kernels.shared.common import LOG2E, load_tile, store_tile
from tilewise.kernels.shared.window import span


@triton.jit
def line(head, n_q):
    """Where a head's L and δ begin, which are kept in lines of whole tiles."""
    return head.to(tl.int64) * (tl.cdiv(n_q, 128) * 128)


@triton.jit(do_not_specialize=["n_q"])
def delta_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, n_q, D: tl.constexpr, DIMS: tl.constexpr,
    ROWS: tl.constexpr,
):
    """δ = Σ dO ∘ O − dL, and L in base 2: +∞ where no key was seen, so P = 0 there."""
    tiles = tl.cdiv(tl.cdiv(n_q, 128) * 128, ROWS)
    i, head = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    rows = i * ROWS + tl.arange(0, ROWS)
    o = load_tile(part(O, head, n_q, D), D, rows, n_q, D, DIMS).to(tl.float32)
    do = load_tile(part(DO, head, n_q, D), D, rows, n_q, D, DIMS).to(tl.float32)
    at = head.to(tl.int64) * n_q + rows
    lse = tl.load(LSE + at, rows < n_q, float("-inf"))
    delta = tl.sum(o * do, 1) - tl.load(DLSE + at, rows < n_q, 0.0)
    seen, at = lse > float("-inf"), line(head, n_q) + rows
    there = rows < tl.cdiv(n_q, 128) * 128
    tl.store(LSE2 + at, tl.where(seen, lse * LOG2E, float("inf")), there)
    tl.store(DELTA + at, tl.where(seen, delta, 0.0), there)


@triton.jit(do_not_specialize=SIZES)
def keys_kernel(
    Q, K, V, SLOPES, DO, LSE2, DELTA, DK, DV, n_q, n_k, low, high, diagonal, scale, cap,
    drop, seed, rest, d, d_v, HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    """dk and dv of COLS keys: every row of the GROUP heads that share them."""
    tiles = tl.cdiv(n_k, COLS)
    j, shared = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    cols = j * COLS + tl.arange(0, COLS)
    k = load_tile(part(K, shared, n_k, d), d, cols, n_k, D, DIMS)  # (B_c, d)
    v = load_tile(part(V, shared, n_k, d_v), d_v, cols, n_k, D_V, DIMS_V)
    dk, dv = tl.zeros([COLS, DIMS], tl.float32), tl.zeros([COLS, DIMS_V], tl.float32)
    for g in tl.range(GROUP):
        head = shared * GROUP + g
        ends = span(j, n_k, n_q, -high, -low, COLS, ROWS)  # a key's window of rows
        q_head, do_head = part(Q, head, n_q, d), part(DO, head, n_q, d_v)
        slope, at = None if SLOPES is None else tl.load(SLOPES + head), line(head, n_q)
        for phase in tl.static_range(3):
            for row in tl.range(ends[phase], ends[phase + 1], ROWS):
                rows = row + tl.arange(0, ROWS)
                q = load_tile(q_head, d, rows, n_q, D, DIMS)  # (B_r, d)
                do = load_tile(do_head, d_v, rows, n_q, D_V, DIMS_V)  # (B_r, d_v)
                seen = None if phase == 1 else visible(rows, cols, low, high, n_k)
                lse2, delta = tl.load(LSE2 + at + rows), tl.load(DELTA + at + rows)
                p, ds, rate = tile(
                    q, k, v, do, rows, cols, lse2, delta, head, HEADS, scale * LOG2E,
                    diagonal, cap, slope, drop, seed, rest, seen,
                )
                dv = tl.dot(p.to(do.dtype).T, do, dv, input_precision="ieee")
                dk = tl.dot((ds * rate).to(q.dtype).T, q, dk, input_precision="ieee")
    store_tile(part(DK, shared, n_k, D), D, cols, n_k, scale * dk, D, DIMS)
    store_tile(part(DV, shared, n_k, D_V), D_V, cols, n_k, dv, D_V, DIMS_V)


@triton.jit(do_not_specialize=SIZES)
def queries_kernel(
    Q, K, V, SLOPES, DO, LSE2, DELTA, DQ, DSLOPES, n_q, n_k, low, high, diagonal, scale,
    cap, drop, seed, rest, d, d_v, HEADS: tl.constexpr, GROUP: tl.constexpr,
    D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    """dq of ROWS rows, and what each of them adds to its slope's gradient."""
    tiles = tl.cdiv(n_q, ROWS)
    i, head = tiles - 1 - tl.program_id(0) % tiles, tl.program_id(0) // tiles
    rows = i * ROWS + tl.arange(0, ROWS)
    q = load_tile(part(Q, head, n_q, d), d, rows, n_q, D, DIMS)
    do = load_tile(part(DO, head, n_q, d_v), d_v, rows, n_q, D_V, DIMS_V)
    shared, at = head // GROUP, line(head, n_q) + rows
    lse2, delta = tl.load(LSE2 + at), tl.load(DELTA + at)
    slope = None if SLOPES is None else tl.load(SLOPES + head)
    dq, dslope = tl.zeros([ROWS, DIMS], tl.float32), tl.zeros([ROWS], tl.float32)
    ends = span(i, n_q, n_k, low, high, ROWS, COLS)
    for phase in tl.static_range(3):
        for col in tl.range(ends[phase], ends[phase + 1], COLS):
            cols = col + tl.arange(0, COLS)
            seen = None if phase == 1 else visible(rows, cols, low, high, n_k)
            k = load_tile(part(K, shared, n_k, d), d, cols, n_k, D, DIMS)
            v = load_tile(part(V, shared, n_k, d_v), d_v, cols, n_k, D_V, DIMS_V)
            _, ds, rate = tile(
                q, k, v, do, rows, cols, lse2, delta, head, HEADS, scale * LOG2E,
                diagonal, cap, slope, drop, seed, rest, seen,
            )
            if SLOPES is not None:
                away = tl.abs(rows[:, None] + diagonal - cols[None, :])
                dslope -= tl.sum(ds * away.to(tl.float32), 1)
            dq = tl.dot((ds * rate).to(k.dtype), k, dq, input_precision="ieee")
    store_tile(part(DQ, head, n_q, D), D, rows, n_q, scale * dq, D, DIMS)
    if SLOPES is not None:
        tl.store(DSLOPES + head.to(tl.int64) * n_q + rows, dslope, rows < n_q)
