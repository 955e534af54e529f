"""Block-sparse attention: for each block of queries, a list of the keys that it sees.

Source: section 3.3 and Algorithm 5 of FlashAttention, arXiv 2205.14135. A matrix of
T_r × T_c bools says which tiles there are. Here it becomes intervals of keys, as every
mask of `tilewise.masks` is, so that it meets causal masks and windows there.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from tilewise.checks import check_sizes
from tilewise.masks import Interval, Span, intersect


class BlockMask(NamedTuple):
    """Row r sees the keys first[r, t] ≤ c < end[r, t] of its n intervals t.

    first, end (..., N_q, n) are int64, and what is in front of them broadcasts to
    (batch, heads); keys is N_k. `tiles_mask` and `spans_mask` make one.
    """

    first: Tensor
    end: Tensor
    keys: int

    def span(self, rows: Tensor) -> Interval:
        """The intervals of rows (B_r, 1), as `tilewise.masks` takes them."""
        at = rows[:, 0]
        return self.first[..., at, :], self.end[..., at, :]

    def batched(self, lead: torch.Size) -> "BlockMask":
        """The mask of tensors (*lead, N, d) with one axis for all but their heads."""
        if len(lead) <= 2:
            return self
        first, end = (x.expand(*lead, *x.shape[-2:]) for x in self[:2])
        return BlockMask(first.flatten(0, -4), end.flatten(0, -4), self.keys)

    def part(self, rows: slice, keys: slice) -> "BlockMask":
        """The mask of some rows and some keys, counted from 0 in there."""
        n = keys.stop - keys.start
        first, end = (
            (x[..., rows, :] - keys.start).clamp(0, n) for x in (self.first, self.end)
        )
        return BlockMask(first, end, n)


def tiles_mask(
    tiles: Tensor, block_rows: int, block_cols: int, n_q: int, n_k: int
) -> BlockMask:
    """The mask of a bool matrix of tiles (..., T_r, T_c), True where a tile is seen.

    T_r = ⌈N_q / B_r⌉, T_c = ⌈N_k / B_c⌉. Neighbours in a row become one interval.
    Raises ValueError where the sizes do not fit, or the matrix has no bools.
    """
    check_sizes(block_rows=block_rows, block_cols=block_cols, n_q=n_q, n_k=n_k)
    grid = -(-n_q // block_rows), -(-n_k // block_cols)
    if tiles.dtype != torch.bool or tiles.shape[-2:] != grid:
        what = f"{tiles.dtype} {tuple(tiles.shape)}"
        raise ValueError(f"tiles must be bools (..., {grid[0]}, {grid[1]}), not {what}")
    aside = torch.zeros_like(tiles[..., :1])
    before = torch.cat([aside, tiles[..., :-1]], -1)  # whether its neighbour is seen
    after = torch.cat([tiles[..., 1:], aside], -1)
    at = torch.arange(grid[1], device=tiles.device)
    n = max(1, int((tiles & ~before).sum(-1).max()))  # runs of tiles, at most
    edges = []
    for is_edge, key in ((tiles & ~before, at), (tiles & ~after, at + 1)):
        edge = torch.where(is_edge, key, grid[1]).sort(-1).values[..., :n]
        key_at = (edge * block_cols).clamp(max=n_k)  # no run: from n_k to n_k
        edges.append(key_at.repeat_interleave(block_rows, -2)[..., :n_q, :])
    return BlockMask(edges[0], edges[1], n_k)


def spans_mask(n_q: int, n_k: int, *spans: Span) -> BlockMask:
    """The mask of the keys that all spans of `tilewise.masks` show, for N_q rows.

    Raises ValueError where a size is no whole number of at least 1, or without spans.
    """
    check_sizes(n_q=n_q, n_k=n_k)
    ends = intersect(*spans)(torch.arange(n_q)[:, None])
    shapes = torch.broadcast_shapes(ends[0].shape, (n_q, 1))
    first, end = (x.clamp(0, n_k).expand(shapes).contiguous() for x in ends)
    return BlockMask(first, end, n_k)
