"""Zig-zag order: a causal sequence over ranks so that each has the same work.

The N positions are cut into 2P chunks; rank r holds chunks r and 2P − 1 − r, an early
one, whose rows see few keys, with a late one, whose rows see many. Source: section
3.3.2 of The Llama 3 Herd of Models, arXiv 2407.21783.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def positions(
    n: int, rank: int, world: int, *, device: torch.device | str | None = None
) -> Tensor:
    """The global positions of a rank's rows, (n / world), in rising order.

    n is the length of the whole sequence, world the number of ranks P. What depends on
    the position, such as rotary embeddings, needs these. Raises ValueError where 2P
    does not divide n, or rank is not one of 0 .. P − 1.
    """
    if not isinstance(world, int) or world < 1 or rank not in range(world):
        raise ValueError(f"rank must be one of 0 .. world − 1, not {rank} of {world}")
    if n % (2 * world):
        raise ValueError(f"n must be a multiple of 2 · {world} ranks, not {n}")
    chunks = torch.arange(n, device=device).view(2 * world, -1)  # (2P, N / 2P)
    return chunks[[rank, 2 * world - 1 - rank]].flatten()


def zigzag(x: Tensor, rank: int, world: int, *, dim: int = -2) -> Tensor:
    """A rank's share of a whole sequence: x (..., N, d) → (..., N / world, d).

    x has any dtype. dim is the axis of the positions: −2 for queries, keys and values,
    1 for tokens (batch, N) or what comes into a layer. Raises ValueError as `positions`
    does.
    """
    return x.index_select(dim, positions(x.shape[dim], rank, world, device=x.device))


def unzigzag(shares: Sequence[Tensor], *, dim: int = -2) -> Tensor:
    """The whole sequence of a list of all ranks' shares, in the order of the ranks.

    P shares (..., N / P, d) of one dtype → (..., N, d); dim as in `zigzag`, of which
    this is the inverse.
    """
    whole = torch.cat([*shares], dim)
    n, world, device = whole.shape[dim], len(shares), whole.device
    order = [positions(n, rank, world, device=device) for rank in range(world)]
    return whole.index_select(dim, torch.cat(order).argsort())


# --8<-- [start:meets]
def meets(
    rank: int, source: int, n_q: int, n_k: int, causal: bool
) -> tuple[slice, slice, bool]:
    """(rows, keys, mask): what a rank computes with the keys of a source, as slices.

    Without causal everything. In zig-zag order a rank meets its own keys under a causal
    mask; of a lower rank, the early chunk is in the past of all its rows and the late
    one in their future; of a higher rank, all is in the past of its late rows and in
    the future of the early ones. Only slices are left, so no other mask is needed.
    """
    if not causal or rank == source:
        return slice(n_q), slice(n_k), causal
    if source < rank:
        return slice(n_q), slice(n_k // 2), False
    return slice(n_q // 2, n_q), slice(n_k), False
    # --8<-- [end:meets]
