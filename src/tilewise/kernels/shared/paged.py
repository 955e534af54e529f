"""Where the keys of a cache lie, in one piece or in pages, and which part has which."""

import torch
import triton
import triton.language as tl

from tilewise.kernels.shared.common import DTYPES, dense


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


# --8<-- [start:part_of]
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
    # --8<-- [end:part_of]


# --8<-- [start:places]
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
    # --8<-- [end:places]
