# flash_decode_triton.py of Tilewise 0.1.0, by `tilewise export`.
# It needs torch and triton; python flash_decode_triton.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""Decoding in Triton: a few new tokens against a long cache of keys, in parts.

    o, lse = forward(q, k_cache, v_cache, seqlens)

computes attention of the last n_q tokens of each sequence over its keys in the cache,
which may lie in pages (block_table). The keys are shared out over the GPU, and a second
kernel merges the parts. Without a GPU, TRITON_INTERPRET=1 has Triton interpret the
kernels, slowly and with NumPy.
"""

import functools

import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

LOG2E = tl.constexpr(1.4426950408889634)  # log₂ e: e^x = 2^{x log₂ e}
DTYPES = (torch.float16, torch.bfloat16, torch.float32)

def dense(x):
    """x, or a copy of it if the d numbers of a row do not lie side by side."""
    return x if x.stride(-1) == 1 else x.contiguous()

def padded(d):
    """The power of two that a tile's d is filled up to with zeros: 80 and 96 to 128."""
    return max(16, triton.next_power_of_2(d))

def choose(table, q, tile):
    """(block_rows, block_cols, launch options) of a rung: from its table or from tile.

    table: largest padded d → (block_rows, block_cols, num_warps, num_stages), for 16
    bits per number; fp32 has no tensor cores and 32 × 32. tile: some of these by name.
    """
    names = ("block_rows", "block_cols", "num_warps", "num_stages")
    if unknown := sorted(tile.keys() - set(names)):
        raise TypeError(f"a tile has {', '.join(names)}, not {unknown[0]}")
    size = min((s for s in table if s >= q.shape[-1]), default=max(table))
    usual = (32, 32, 4, 1) if q.dtype == torch.float32 else table[size]
    launch = dict(zip(names, usual)) | tile
    return launch.pop("block_rows"), launch.pop("block_cols"), launch

@triton.jit
def tile_of(x, stride, rows, DIMS: tl.constexpr):
    """Pointers (rows, DIMS) from the head's beginning x, rows being stride apart."""
    return x + rows.to(tl.int64)[:, None] * stride + tl.arange(0, DIMS)[None, :]

@triton.jit
def inside(rows, n, D: tl.constexpr, DIMS: tl.constexpr):
    """Which numbers of a tile (rows, DIMS) the tensor has: row < n and, padded, < D.

    n None: all rows are there. None where nothing is to be asked.
    """
    if n is None:
        keep = None if DIMS == D else tl.arange(0, DIMS)[None, :] < D
    elif DIMS == D:
        keep = rows[:, None] < n
    else:
        keep = (rows[:, None] < n) & (tl.arange(0, DIMS)[None, :] < D)
    return keep

@triton.jit
def store_tile(x, stride, rows, n, tile, D: tl.constexpr, DIMS: tl.constexpr):
    """Write the rows < n and dimensions < D of a tile, rounded to x's dtype."""
    at = tile_of(x, stride, rows, DIMS)
    tl.store(at, tile.to(x.dtype.element_ty), inside(rows, n, D, DIMS))

@triton.jit
def start(BLOCK_ROWS: tl.constexpr, DIMS: tl.constexpr):
    """Õ, ℓ, m of a block of rows that has seen no key: 0, 0, −∞."""
    acc = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    l = tl.zeros([BLOCK_ROWS], tl.float32)
    return acc, l, tl.full([BLOCK_ROWS], float("-inf"), tl.float32)

@triton.jit
def finish(acc, l, m):
    """O = Õ / ℓ and L = (m + log₂ ℓ) / log₂ e; where no key was seen, 0 and −∞."""
    l = tl.where(l == 0, 1.0, l)
    return acc / l[:, None], (m + tl.log2(l)) / LOG2E

def wider(q, v):
    """The one of q and v with more dimensions, which decides how large a tile is."""
    return q if q.shape[-1] >= v.shape[-1] else v

@triton.jit
def tanh(x):
    """tanh x by one division: a continued fraction where e^{2x} − 1 would cancel."""
    y = x * x
    e = tl.exp2(tl.minimum(x, 15.0) * (2 * LOG2E))  # from 15 on, tanh x rounds to 1
    above = tl.where(y < 1, x * (945 + y * (105 + y)), e - 1)
    return above / tl.where(y < 1, 945 + y * (420 + 15 * y), e + 1)

@triton.jit
def score(s, rows, cols, tau2, cap, slope, diagonal):
    """(S', dS'/d(τS)) of a tile of Q Kᵀ, in units of log₂ e: softcap, then ALiBi.

    S' = c tanh(τS / c) − slope · |r + N_k − N_q − j|, where diagonal is N_k − N_q.
    """
    s, rate = s * tau2, 1.0
    if cap is not None:
        t = tanh(s * (1 / cap))
        s, rate = cap * t, 1 - t * t
    if slope is not None:
        s -= slope * tl.abs(rows[:, None] + diagonal - cols[None, :]).to(tl.float32)
    return s, rate

@triton.jit
def keep(rows, cols, head, heads, drop, seed, rest):
    """Dropout's factors for a tile of P: those of `tilewise.dropout`, to the bit."""
    r = tl.broadcast_to(rows[:, None], [rows.shape[0], cols.shape[0]])
    c = tl.broadcast_to(cols[None, :], [rows.shape[0], cols.shape[0]])
    word, _, _, _ = tl.philox(seed, c, r, r * 0 + head % heads, r * 0 + head // heads)
    return tl.where(word.to(tl.int64) >= drop, rest, 0.0)

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

def check(q, k, v, seqlens, table, sinks, block_rows, block_cols):
    """Raise ValueError with one sentence that names what the kernel does not take.

    Shapes and values are checked by `tilewise.attention.decode`, which calls it.
    """
    if q.dtype not in DTYPES or not q.dtype == k.dtype == v.dtype:
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"q and caches must be fp16, bf16 or fp32 alike, not {dtypes}")
    given = [x for x in (q, k, v, seqlens, table, sinks) if x is not None]
    if any(x.device != q.device for x in given):
        raise ValueError("q, caches, seqlens, block_table, sinks: not on one device")
    for d in (q.shape[-1], v.shape[-1]):
        if d % 8 or d > 256:
            raise ValueError(f"d must be a multiple of 8 up to 256, not {d}")
    for name, size in (("block_rows", block_rows), ("block_cols", block_cols)):
        if size < 16 or size & (size - 1):
            raise ValueError(f"{name} must be a power of two from 16, not {size}")

def lined_up(q, k, v, table, lengths, sinks):
    """The tensors with dense rows, q and table contiguous, sinks in fp32."""
    table = None if table is None else table.contiguous()
    sinks = None if sinks is None else sinks.to(torch.float32).contiguous()
    return q.contiguous(), dense(k), dense(v), table, lengths.contiguous(), sinks

@triton.jit
def part_of(LENGTHS, b, n_q, room, left, splits, BLOCK_COLS: tl.constexpr):
    """(n, first, width) of sequence b: part s has the keys from first + s width on.

    The keys before `first` are those that no token's window reaches. width is a number
    of whole tiles, the same for every part, so the last parts may have no key.
    """
    n = tl.minimum(tl.load(LENGTHS + b), room).to(tl.int32)
    first = tl.maximum(n - n_q - left, 0)
    tiles = tl.cdiv(n - first, BLOCK_COLS)
    return n, first, tl.cdiv(tiles, splits) * BLOCK_COLS

@triton.jit
def places(TABLE, b, cols, n, page, pages):
    """(page, row within it) of keys cols of sequence b; without pages (b, cols).

    Keys past n are not looked up: what the table or the cache has there is not read.
    """
    if TABLE is None:
        where, at = b + cols * 0, cols
    else:
        i = cols // page
        where = tl.load(TABLE + b.to(tl.int64) * pages + i, cols < n, 0)
        at = cols - i * page
    return where.to(tl.int64), at.to(tl.int64)

LAUNCH = 2**16  # bytes that an SM could have moved while the second kernel starts

def choose_splits(
    programs: int, tiles: int, rows: int, tile: int, row: int, sms: int
) -> int:
    """How many parts to cut a cache into, so that the busiest SM moves least.

    The GPU has `sms` multiprocessors. Without parts there are `programs` programs; each
    reads `tiles` tiles of K and V, of `tile` bytes, for its `rows` rows. With s parts
    there are s times as many, and a row of a partial result takes `row` bytes, which
    are written and read again. With P = ⌈programs s / sms⌉, the busiest SM moves

    cost(s) = P (⌈tiles / s⌉ tile + [s > 1] rows row), and an eighth more if P = 1,
              + [s > 1] (⌈programs rows / sms⌉ s row + LAUNCH)

    bytes, where [s > 1] is 1 or 0. The eighth is for a program that has its SM to
    itself: while it waits, nobody else loads. The smallest s of the least cost is
    returned.
    """

    def cost(s: int) -> float:
        most = -(-programs * s // sms)
        moved = most * (-(-tiles // s) * tile + (s > 1) * rows * row)
        merging = s * -(-programs * rows // sms) * row + LAUNCH if s > 1 else 0
        return moved * (9 / 8 if most == 1 else 1) + merging

    most_parts = max(1, min(tiles, 4 * sms // programs + 1))
    return min(range(1, most_parts + 1), key=cost)

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


def largest_error():
    """The largest error in fp32 against the formula in float64, with three parts."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q = torch.randn(2, 4, 1, 32, device=device)
    k, v = torch.randn(2, 2, 2, 300, 32, device=device)
    n = torch.tensor([300, 77], dtype=torch.int32, device=device)
    o, _ = forward(q, k, v, n, splits=3)
    wide = [x.double().repeat_interleave(2, 1) for x in (k, v)]
    s = q.double() @ wide[0].mT / 32**0.5
    hidden = torch.arange(300, device=device) >= n[:, None, None, None]
    exact = s.masked_fill(hidden, -torch.inf).softmax(-1) @ wide[1]
    return (o - exact).abs().max().item()

if __name__ == "__main__":
    print(f"o of two sequences: the largest error is {(e := largest_error()):.0e}")
    assert e < 1e-5
