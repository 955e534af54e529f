"""Decoding: a few new tokens meet a long cache, so the keys are shared out.

A program takes one head of K and V, the rows of all query heads that share it, and one
part of a sequence's keys, which may lie in pages; its walk is that of scores.py. The
parts leave (O, L) in fp32, and a second kernel merges them, row by row. The lengths
stay on the card: programs without keys return.
"""

import functools

import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from tilewise.kernels.scores import finish, start, step
from tilewise.kernels.shared.common import (
    LOG2E,
    choose,
    inside,
    padded,
    store_tile,
    tile_of,
)
from tilewise.kernels.shared.paged import check, lined_up, part_of, places
from tilewise.kernels.shared.window import wider
from tilewise.trace.split_kv import choose_splits

# Three stages take 96 KiB, so two programs fit on a multiprocessor. Pages have two
# stages more, since where a tile is must be loaded before the tile.
TILES = {64: (16, 128, 4, 3), 128: (16, 64, 4, 3), 256: (16, 32, 4, 3)}
PAGED = {64: (16, 128, 4, 5), 128: (16, 64, 4, 5), 256: (16, 32, 4, 5)}
SIZES = "n_q", "room", "page", "pages", "left", "splits", "kv_heads", "packed", "total"
MOST_ROWS = 64  # of a program; more rows than that are several blocks


@triton.jit(do_not_specialize=SIZES)
def split_rows(
    Q, K, V, O, LSE, LENGTHS, TABLE, SINKS, k_strides, v_strides, n_q, room, page,
    pages, left, splits, kv_heads, packed, total, scale, cap, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr, SPLIT: tl.constexpr,
    EARLY: tl.constexpr,
):
    """One part of the keys for one block of the rows that share them."""
    # --8<-- [start:rows]
    part, program = tl.program_id(0) % splits, tl.program_id(0) // splits
    blocks = tl.cdiv(packed, BLOCK_ROWS)
    i, head = program % blocks, program // blocks  # head of K, through the batch
    b, kv_head = head // kv_heads, (head % kv_heads).to(tl.int64)
    n, first, width = part_of(LENGTHS, b, n_q, room, left, splits, BLOCK_COLS)
    lo = first + part * width
    hi = tl.minimum(lo + width, n)
    if SPLIT and lo >= hi:
        return
    r = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)  # query head and token of the group
    rows = n - n_q + r % n_q  # the last key that each row sees
    # --8<-- [end:rows]
    q_at = Q + head.to(tl.int64) * packed * D
    q = tl.load(tile_of(q_at, D, r, DIMS), inside(r, packed, D, DIMS), 0.0)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS_V)
    if SINKS is not None and not SPLIT:  # else the merge begins with it, once
        sink = tl.load(SINKS + kv_head * (packed // n_q) + r // n_q, r < packed, 0.0)
        l, m = l + 1, sink * LOG2E
    for j in tl.range(lo, hi, BLOCK_COLS):
        cols = j + tl.arange(0, BLOCK_COLS)
        where, at = places(TABLE, b, cols, n, page, pages)
        k_at = K + where * k_strides[0] + kv_head * k_strides[1] + at * k_strides[2]
        v_at = V + where * v_strides[0] + kv_head * v_strides[1] + at * v_strides[2]
        dims, dims_v = tl.arange(0, DIMS)[None, :], tl.arange(0, DIMS_V)[None, :]
        there = cols[:, None] < n
        k = tl.load(k_at[:, None] + dims, there & (dims < D), 0.0)  # (B_c, d)
        v = tl.load(v_at[:, None] + dims_v, there & (dims_v < D_V), 0.0)
        back = rows[:, None] - cols[None, :]
        seen = (back >= 0) & (back <= left) & (cols[None, :] < n)
        acc, l, m = step(
            q, k, v, acc, l, m, rows, cols, head, kv_heads, scale * LOG2E, 0, cap,
            None, None, None, None, seen,
        )
    if EARLY:  # the merging kernel may start, and waits for what is written below
        gdc_launch_dependents()
    o, lse = finish(acc, l, m)
    row = part.to(tl.int64) * total + head * packed
    store_tile(O + row * D_V, D_V, r, packed, o, D_V, DIMS_V)
    tl.store(LSE + row + r, lse, r < packed)


# --8<-- [start:merge]
@triton.jit(do_not_specialize=SIZES)
def merge_parts(
    PARTS, PART_LSE, O, LSE, LENGTHS, SINKS, n_q, room, left, splits, packed, kv_heads,
    total, D_V: tl.constexpr, DIMS_V: tl.constexpr, BLOCK_COLS: tl.constexpr,
    BLOCK_PARTS: tl.constexpr, EARLY: tl.constexpr,
):
    """One row from its parts: o = Σ e^{L_s − L} o_s and L = log Σ e^{L_s}."""
    if EARLY:
        gdc_wait()
    row = tl.program_id(0)
    b = row // (kv_heads * packed)
    n, first, width = part_of(LENGTHS, b, n_q, room, left, splits, BLOCK_COLS)
    acc = tl.zeros([DIMS_V], tl.float32)
    l, m = 0.0, float("-inf")
    if SINKS is not None:
        l, m = 1.0, tl.load(SINKS + row % (kv_heads * packed) // n_q) * LOG2E
    for s in tl.range(0, tl.cdiv(n - first, tl.maximum(width, 1)), BLOCK_PARTS):
        part = s + tl.arange(0, BLOCK_PARTS)
        there = first + part * width < n
        at = part.to(tl.int64) * total + row
        lse = tl.load(PART_LSE + at, there, float("-inf")) * LOG2E  # (parts,)
        dims = tl.arange(0, DIMS_V)[None, :]
        o_at, kept = tile_of(PARTS, D_V, at, DIMS_V), there[:, None] & (dims < D_V)
        o = tl.load(o_at, kept, 0.0)  # (parts, d_v)
        m_new = tl.maximum(m, tl.max(lse, 0))
        base = tl.where(m_new == float("-inf"), 0.0, m_new)
        share, alpha = tl.exp2(lse - base), tl.exp2(m - base)
        acc = alpha * acc + tl.sum(share[:, None] * o, 0)
        l, m = alpha * l + tl.sum(share, 0), m_new
    l = tl.where(l == 0, 1.0, l)
    dims = tl.arange(0, DIMS_V)
    o_at = O + row.to(tl.int64) * D_V + dims
    tl.store(o_at, (acc / l).to(O.dtype.element_ty), dims < D_V)
    tl.store(LSE + row, (m + tl.log2(l)) / LOG2E)
    # --8<-- [end:merge]


@functools.cache
def processors(device):
    """(multiprocessors, whether a kernel may start before one that it waits for)."""
    if device.type != "cuda":
        return 1, False
    found = torch.cuda.get_device_properties(device)
    return found.multi_processor_count, found.major >= 9


best = functools.cache(choose_splits)


def shaped(programs, processors, parts):
    """Launch options for so many programs of 16 rows; measured on an H200.

    With more than two for each multiprocessor, two stages let three share it, so one
    loads while another ends. Where two parts share it, two warps each suffice.
    """
    if programs > 2 * processors:
        return {"num_stages": 2}
    return {"num_warps": 2} if parts and programs > processors else {}


def forward(
    q, k_cache, v_cache, seqlens, *, block_table=None, scale=None, window=None,
    softcap=None, sinks=None, splits=None, **tile,
):
    """o and L of the last n_q tokens of each sequence, whose keys are in the cache.

    q (batch, heads, n_q, d), k_cache (batch, heads_k, max_len, d), or with block_table
    (batch, max_pages) pages (pages, heads_k, page_size, d), v_cache alike with d_v;
    16 or 32 bits → o (batch, heads, n_q, d_v) in q's dtype, L (batch, heads, n_q) in
    fp32. seqlens (batch,), whole numbers that the host does not read, count new tokens
    too. splits None is the choice of `choose_splits` in `tilewise.trace.split_kv` for
    the room of the cache. tile replaces numbers of TILES by name.
    """
    usual = TILES if block_table is None else PAGED
    rows, cols, launch = choose(usual, wider(q, v_cache), tile)
    check(q, k_cache, v_cache, seqlens, block_table, sinks, rows, cols)
    (batch, heads, n_q, d), (kv_heads, page, d_v) = q.shape, v_cache.shape[1:]
    packed, total = heads // kv_heads * n_q, batch * heads * n_q
    if "block_rows" not in tile:
        rows = min(MOST_ROWS, max(rows, triton.next_power_of_2(packed)))
    q, k, v, table, lengths, sinks = lined_up(
        q, k_cache, v_cache, block_table, seqlens, sinks
    )
    pages = 1 if table is None else table.shape[1]
    room, programs = pages * page, batch * kv_heads * triton.cdiv(packed, rows)
    left = room + n_q if window is None or window[0] is None else window[0]
    sms, early = processors(q.device)
    if splits is None:
        tiles, size = triton.cdiv(min(room, left + n_q), cols), q.element_size()
        moved = cols * (d + d_v) * size, 4 * (d_v + 1)  # bytes of a tile, of a row
        splits = best(programs, tiles, min(rows, packed), *moved, sms)
    if table is None and rows == 16:
        fitting = shaped(programs * splits, sms, splits > 1)
        launch |= {name: x for name, x in fitting.items() if name not in tile}
    o, lse = q.new_empty(batch, heads, n_q, d_v), q.new_empty(q.shape[:3]).float()
    parts, part_lse = o, lse
    if splits > 1:
        parts, part_lse = (lse.new_empty(splits, *x.shape) for x in (o, lse))
    split_rows[(programs * splits,)](
        q, k, v, parts, part_lse, lengths, table, sinks, k.stride()[:3],
        v.stride()[:3], n_q, room, page, pages, left, splits, kv_heads, packed, total,
        d**-0.5 if scale is None else float(scale),
        None if softcap is None else float(softcap) * LOG2E.value, d, padded(d), d_v,
        padded(d_v), rows, cols, splits > 1, early and splits > 1, **launch,
    )
    if splits > 1:
        merge_parts[(total,)](
            parts, part_lse, o, lse, lengths, sinks, n_q, room, left, splits, packed,
            kv_heads, total, d_v, padded(d_v), cols, 16 if splits <= 16 else 64, early,
            num_warps=2, launch_pdl=early,
        )
    return o, lse
