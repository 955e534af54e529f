"""Ring attention's two passes for heads that go round together, a loop over steps each.

Each rank keeps its queries. At step t it attends to the keys that were rank r − t's at
the start, merges the outcome into what it has, and passes the keys on meanwhile. The
backward pass goes round once more, and the keys take their gradients along.
Source: Ring Attention, H. Liu, M. Zaharia, P. Abbeel, arXiv 2310.01889.
"""

# --8<-- [start:imports]
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from tilewise.attention import passes
from tilewise.merge import merge_into
from tilewise.ring.ranks import Group, pass_on
from tilewise.ring.zigzag import meets

# --8<-- [end:imports]


def shapes(
    k: Tensor, v: Tensor, lengths: Sequence[int], step: int, rank: int
) -> list[tuple[int, ...]]:
    """The shapes of k and v that this rank holds at a step."""
    n = lengths[(rank - step) % len(lengths)]
    return [(*x.shape[:2], n, x.shape[-1]) for x in (k, v)]


def wider(x: Tensor) -> Tensor:
    """x for sums: in fp32, or float64 for float64."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


# --8<-- [start:ring_forward]
@torch.no_grad()
def ring_forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    causal: bool,
    scale: float | None,
    group: Group,
    rank: int,
    lengths: Sequence[int],
) -> tuple[Tensor, Tensor]:
    """o and L of this rank's rows; options as in `ring_attention`, N_k by rank.

    q (batch, heads, N_q / P, d) and so on → o (batch, heads, N_q / P, d_v) and L
    (batch, heads, N_q / P), both in fp32 or wider.
    """
    world = len(lengths)
    for step in range(world):
        source, last = (rank - step) % world, step + 1 == world
        if not last:  # away while this rank computes with it
            wait = pass_on([k, v], shapes(k, v, lengths, step + 1, rank), group)
        rows, keys, mask = meets(rank, source, q.shape[2], k.shape[2], causal)
        options = passes.Options(mask, scale)
        o_part, lse_part = passes.forward(
            q[:, :, rows], k[:, :, keys], v[:, :, keys], None, options
        )
        if step == 0:
            o, lse = wider(o_part), lse_part
        else:
            merge_into(o[:, :, rows], lse[:, :, rows], o_part, lse_part)
        del o_part, lse_part  # free their memory before the next step
        if not last:
            k, v = wait()
    return o, lse
    # --8<-- [end:ring_forward]


@torch.no_grad()
def ring_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    do: Tensor | None,
    dlse: Tensor | None,
    causal: bool,
    scale: float | None,
    group: Group,
    rank: int,
    lengths: Sequence[int],
) -> tuple[Tensor, ...]:
    """dQ, dK, dV of this rank's share, in fp32 or wider; all else as in `ring_forward`.

    The blocks' gradients add up; dK and dV follow their keys, home after P messages.
    """
    do, world = torch.zeros_like(o) if do is None else do, len(lengths)
    come: Callable[[], list[Tensor]] = list  # gives dK, dV of the ranks before
    for step in range(world):
        source, last = (rank - step) % world, step + 1 == world
        after = shapes(k, v, lengths, step + 1, rank)
        if not last:
            wait = pass_on([k, v], after, group)
        rows, keys, mask = meets(rank, source, q.shape[2], k.shape[2], causal)
        saved = q[:, :, rows], k[:, :, keys], v[:, :, keys], o[:, :, rows]
        rest: list[Any] = [x if x is None else x[:, :, rows] for x in (do, lse, dlse)]
        rest += [None, passes.NONE, passes.Options(mask, scale)]
        parts = passes.backward(*saved, *rest)[:3]
        if step == 0:
            dq, dk, dv = map(wider, parts)
        else:
            dq[:, :, rows] += parts[0]
            dk, dv = come()  # sums of the ranks before, for the keys that are here
            dk[:, :, keys] += parts[1]
            dv[:, :, keys] += parts[2]
        del saved, parts
        come = pass_on([dk, dv], after, group)
        if not last:
            k, v = wait()
    return dq, *come()
