"""Scores with rules, sinks and lists: softcap, ALiBi, dropout, windows, block masks.

A rule changes single elements of S or of P, and therefore fits between the product and
the softmax of any tile; the loop stays that of windows.py. A sink is a logit for each
head that only the denominator sees. In the language of states it is one key with the
value 0, so the row simply begins with its state (Õ, ℓ, m) = (0, 1, sink) instead of
(0, 0, −∞), and everything after that is the usual merging. With a block-sparse mask
the loop goes through a list of tiles, and a block of rows has a list of its own.
"""

import triton
import triton.language as tl

from tilewise.kernels.exp2 import finish, start
from tilewise.kernels.shared.blocks import block_of, indices, lists, seen_by, way_of
from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    head_of,
    load_tile,
    padded,
    prepare,
    store_tile,
)
from tilewise.kernels.shared.order import crew_of, longest_first
from tilewise.kernels.shared.scores import keep, rules, score, slope_of
from tilewise.kernels.shared.window import ends_of, limits, wider

TILES = {64: (64, 64, 4, 3), 128: (64, 64, 4, 3), 256: (64, 64, 8, 2)}
SIZES = "low", "high", "diagonal", "seed", "heads", "total", "crew"


@triton.jit
def step(
    q, k, v, acc, l, m, rows, cols, head, heads, tau2, diagonal, cap, slope, drop, seed,
    rest, seen,
):
    """One tile of keys: windows.py's step with a rule for S and another one for P."""
    s, _ = score(
        tl.dot(q, k.T, input_precision="ieee"), rows, cols, tau2, cap, slope, diagonal
    )
    if seen is not None:
        s = tl.where(seen, s, float("-inf"))
    m_new = tl.maximum(m, tl.max(s, 1))  # (B_r,)
    base = tl.where(m_new == float("-inf"), 0.0, m_new)
    p, alpha = tl.exp2(s - base[:, None]), tl.exp2(m - base)
    l = alpha * l + tl.sum(p, 1)  # of P before dropout
    if drop is not None:
        p *= keep(rows, cols, head, heads, drop, seed, rest)
    acc = alpha[:, None] * acc
    acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")  # (B_r, d_v)
    return acc, l, m_new


@triton.jit
def walk(
    q, acc, l, m, k_head, v_head, k_stride, v_stride, rows, first, last, lo, hi, n_q,
    n_k, head, heads, tau2, diagonal, cap, slope, drop, seed, rest, LISTS, tiles,
    D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_COLS: tl.constexpr, MASKED: tl.constexpr,
):
    """Take in the tiles from key lo to key hi, or from lo to hi in the list `tiles`."""
    for j in tl.range(lo, hi, BLOCK_COLS if LISTS is None else 1):
        cols = indices(LISTS, tiles, j, BLOCK_COLS)
        n = n_k if MASKED else None  # None: all of the tile's rows are there
        k = load_tile(k_head, k_stride, cols, n, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_stride, cols, n, D_V, DIMS_V)  # (B_c, d_v)
        seen = None
        if MASKED:
            seen = seen_by(LISTS, rows, cols, first, last, n_q, head, heads)
        acc, l, m = step(
            q, k, v, acc, l, m, rows, cols, head, heads, tau2, diagonal, cap, slope,
            drop, seed, rest, seen,
        )
    return acc, l, m


@triton.jit(do_not_specialize=SIZES)
def score_rows(
    Q, K, V, O, LSE, q_strides, k_strides, v_strides, o_strides, n_q, n_k, low, high,
    diagonal, scale, cap, SLOPES, SINKS, drop, seed, rest, LISTS, heads, group, total,
    crew, D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr,
    DIMS_V: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head."""
    blocks = tl.cdiv(n_q, BLOCK_ROWS)
    i, head = longest_first(tl.program_id(0), blocks, total, crew)
    i = block_of(LISTS, i, head, heads, blocks)
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    v_head = head_of(V, v_strides, head, heads, group)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    slope = slope_of(SLOPES, head)
    # --8<-- [start:sink]
    acc, l, m = start(BLOCK_ROWS, DIMS_V)
    if SINKS is not None:
        l, m = l + 1, tl.zeros_like(m) + tl.load(SINKS + head % heads) * LOG2E
    # --8<-- [end:sink]
    first, last = ends_of(rows, low, high, n_k)
    tiles, ends = way_of(
        LISTS, i, n_q, n_k, low, high, head, heads, BLOCK_ROWS, BLOCK_COLS
    )
    for part in tl.static_range(3 if LISTS is None else 2):
        acc, l, m = walk(
            q, acc, l, m, k_head, v_head, k_strides[2], v_strides[2], rows, first,
            last, ends[part], ends[part + 1], n_q, n_k, head, heads, scale * LOG2E,
            diagonal, cap, slope, drop, seed, rest, LISTS, tiles, D, DIMS, D_V, DIMS_V,
            BLOCK_COLS, part != 1,
        )
    o, lse = finish(acc, l, m)
    o_head = head_of(O, o_strides, head, heads, 1)
    store_tile(o_head, o_strides[2], rows, n_q, o, D_V, DIMS_V)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)


def forward(
    q, k, v, *, scale=None, causal=False, window=None, softcap=None, alibi_slopes=None,
    sinks=None, block_mask=None, dropout_p=0.0, seed=None, **tile,
):
    """o = softmax(S') v and L = log (Σ e^{s'} + e^{sink}), with rules for the scores.

    S' = c tanh(τ q kᵀ / c) − slope · |r + N_k − N_q − j|, with softcap c, and with
    alibi_slopes (heads,) or (batch, heads). sinks (heads,) count in the denominator
    only: a row that sees no key has o = 0 and L = its sink. block_mask is one that
    `tilewise.block_sparse` makes, and tiles in which it shows no key are not visited.
    dropout_p and seed give the factors of `tilewise.dropout`. The rest is as in
    `tilewise.kernels.windows`.
    """
    rows, cols, launch = choose(TILES, wider(q, v), tile)
    q, k, v, o, lse, scale = prepare(q, k, v, scale, causal, rows, cols, d_v=True)
    rule = rules(q.shape[:2], softcap, alibi_slopes, sinks, dropout_p, seed)
    listed = lists(block_mask, q, k.shape[2], causal, window, rows, cols)
    (batch, heads, n_q, d), (n_k, d_v) = q.shape, v.shape[2:]
    grid = (triton.cdiv(n_q, rows) * batch * heads,)
    score_rows[grid](
        q, k, v, o, lse, *(x.stride()[:3] for x in (q, k, v, o)), n_q, n_k,
        *limits(causal, window, n_q, n_k), n_k - n_q, scale, *rule, listed,
        heads, heads // k.shape[1], batch * heads, crew_of(q, k), d, padded(d), d_v,
        padded(d_v), rows, cols, **launch,
    )
    return o, lse
