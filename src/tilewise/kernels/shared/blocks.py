"""Block-sparse masks for kernels: which tiles each block of rows, or of keys, visits.

A mask says intervals of keys for each row (`tilewise.block_sparse`), and causal and
windows are one interval more, so the host meets them once. It counts the scores that
are seen in each tile: a tile with none is on no list, one with all needs no mask, and
the others are cut. A list has the cut tiles first and then the full ones. It is as wide
as there are tiles, so that the host need not wait for the GPU to know its length.
"""

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch.nn.functional import pad
from torch.utils.weak import WeakTensorKeyDictionary

from tilewise.attention.checks import check_block_mask
from tilewise.kernels.shared.window import limits, span, visible


class Lists(NamedTuple):
    """A mask for the blocks of one side: of rows, or of keys for dK and dV; in int32.

    tiles (..., blocks, others) numbers the other side's tiles, ends (..., blocks, 2) is
    where the cut and where all of them end, and order (..., blocks) are the blocks by
    the length of their lists. first, end (..., n, N_q) are the rows' n intervals, which
    do not overlap. Head h of entry b has the mask by_batch b + by_head h.
    """

    tiles: torch.Tensor
    ends: torch.Tensor
    order: torch.Tensor
    first: torch.Tensor
    end: torch.Tensor
    n: int
    by_batch: int
    by_head: int


MADE = WeakTensorKeyDictionary()  # a mask's first → (what it was made of, its lists)


def lists(mask, q, n_k, causal, window, block_rows, block_cols, of_keys=False):
    """The Lists of a BlockMask for q (batch, heads, N_q, d), made once; None for None.

    Raises ValueError or TypeError where the mask does not fit.
    """
    if mask is None:
        return None
    check_block_mask(mask, q.shape[:2], q.shape[2], n_k, q.device)
    how = limits(causal, window, q.shape[2], n_k), block_rows, block_cols, of_keys
    kept = made_of(mask)
    if how not in kept:
        spans = meet(mask, how[0])
        front = (1, 1, *mask.first.shape[:-2])[-2:]
        strides = (front[1] if front[0] > 1 else 0), int(front[1] > 1)
        rows = (x.mT.int().contiguous() for x in spans)
        n = mask.first.shape[-1]
        kept[how] = Lists(*walks(*spans, n_k, *how[1:]), *rows, n, *strides)
    return kept[how]


def made_of(mask):
    """What this stream has made of the mask, a dict; a new one if the mask has changed.

    What a graph captures is not made yet, and inference tensors do not say whether they
    have changed.
    """
    first, end, keys = mask
    stream = torch.cuda.current_stream(first.device).cuda_stream if first.is_cuda else 0
    capture = first.is_cuda and torch.cuda.is_current_stream_capturing()
    if capture or first.is_inference() or end.is_inference():
        return {}
    stamp = stream, keys, first._version, end._version
    before, was, made = MADE.get(first, (None, None, {}))
    if before is not end or was != stamp:
        made = {}
        MADE[first] = end, stamp, made
    return made


def meet(mask, limits):
    """The intervals (..., N_q, n) with the keys r + low .. r + high alone, disjoint."""
    low, high = limits
    rows = torch.arange(mask.first.shape[-2], device=mask.first.device)[:, None]
    first = torch.maximum(mask.first, rows + low).clamp(0, mask.keys)
    end = torch.minimum(mask.end, rows + high + 1).clamp(0, mask.keys)
    first, order = first.sort(-1)
    end = end.gather(-1, order)
    reached = pad(end.cummax(-1).values[..., :-1], (1, 0))  # by those before
    first = torch.maximum(first, reached)
    return first, torch.maximum(first, end)


def walks(first, end, n_k, block_rows, block_cols, of_keys):
    """(tiles, ends, order) of Lists, from intervals that do not overlap."""
    n_q = first.shape[-2]
    seen = count(first, end, n_k, block_rows, block_cols)  # (..., T_r, T_c)
    at = torch.arange(seen.shape[-2], device=seen.device)[:, None] * block_rows
    full = seen == (n_q - at).clamp(max=block_rows) * block_cols
    kind = (seen > 0).to(torch.int8) + full
    kind = kind.mT.contiguous() if of_keys else kind
    tiles = ((kind - 1) % 3).sort(stable=True).indices  # cut, full, empty
    ends = torch.stack([(kind == 1).sum(-1), (kind > 0).sum(-1)], -1)
    order = ends[..., 1].argsort(stable=True, descending=of_keys)
    return tiles.int(), ends.int(), order.int()


def count(first, end, n_k, block_rows, block_cols):
    """How many scores of each tile are seen, (..., T_r, T_c).

    Of the keys before x, tile j has B_c if x lies behind it, and x % B_c if x lies in
    it. An interval has the keys before its end without those before its beginning.
    """
    edges = torch.cat([first, end], -1)
    signs = torch.ones_like(edges, dtype=torch.int32)
    signs[..., : first.shape[-1]] = -1
    more = (0, 0, 0, -edges.shape[-2] % block_rows)
    edges, signs = (pad(x, more).unflatten(-2, (-1, block_rows)).flatten(-2)
                    for x in (edges, signs))  # (..., T_r, B_r 2 n)
    at, rest = edges // block_cols, (edges % block_cols).int()
    none = signs.new_zeros(*at.shape[:-1], triton.cdiv(n_k, block_cols) + 1)
    whole, part = (none.scatter_add(-1, at, x) for x in (signs, signs * rest))
    behind = whole.flip(-1).cumsum(-1).flip(-1) - whole
    return (block_cols * behind + part)[..., :-1]


@triton.jit
def mask_of(LISTS, head, heads):
    """The number of the mask that a head has."""
    return LISTS.by_batch * (head // heads) + LISTS.by_head * (head % heads)


@triton.jit
def block_of(LISTS, i, head, heads, blocks):
    """Which block a program has that would have block i without lists."""
    if LISTS is not None:
        i = tl.load(LISTS.order + mask_of(LISTS, head, heads) * blocks + i)
    return i


@triton.jit
def way_of(
    LISTS, i, n, others, low, high, head, heads, BLOCK: tl.constexpr,
    OTHERS: tl.constexpr,
):
    """(list, ends): where the list of block i of n rows or keys lies, and its parts.

    They end as those of `span` do. Without lists they are those of `span`, and with
    lists they are places in the list: cut tiles from 0 on, then full ones.
    """
    tiles = 0
    if LISTS is None:
        ends = span(i, n, others, low, high, BLOCK, OTHERS)
    else:
        row = mask_of(LISTS, head, heads).to(tl.int64) * tl.cdiv(n, BLOCK) + i
        tiles = LISTS.tiles + row * tl.cdiv(others, OTHERS)
        cut, end = tl.load(LISTS.ends + 2 * row), tl.load(LISTS.ends + 2 * row + 1)
        ends = 0, cut, end
    return tiles, ends


# --8<-- [start:list]
@triton.jit
def indices(LISTS, tiles, j, SIZE: tl.constexpr):
    """The rows or keys of the tile that begins at j, or of entry j of a list."""
    if LISTS is not None:
        j = tl.load(tiles + j) * SIZE
    return j + tl.arange(0, SIZE)


@triton.jit
def seen_by(LISTS, rows, cols, first, last, n_q, head, heads):
    """Which keys of a tile each row sees: first to last, or in any of its intervals."""
    if LISTS is None:
        seen = visible(cols, first, last)
    else:
        at = mask_of(LISTS, head, heads).to(tl.int64) * LISTS.n * n_q + rows
        seen = rows[:, None] + cols[None, :] < 0  # none yet
        for _ in range(LISTS.n):
            begin = tl.load(LISTS.first + at, rows < n_q, 0)
            end = tl.load(LISTS.end + at, rows < n_q, 0)
            seen |= (cols[None, :] >= begin[:, None]) & (cols[None, :] < end[:, None])
            at += n_q
    return seen
    # --8<-- [end:list]
