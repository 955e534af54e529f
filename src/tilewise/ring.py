"""Ring attention: a sequence over P ranks, with keys and values that travel round.

Each rank keeps its queries. At step t it attends to the keys that were rank r − t's at
the start, merges the outcome into what it has, and passes the keys on meanwhile. The
backward pass goes round once more, and the keys take their gradients along.
Source: Ring Attention, H. Liu, M. Zaharia, P. Abbeel, arXiv 2310.01889.
"""

# --8<-- [start:imports]
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import torch
from torch import Tensor

# --8<-- [end:imports]
from tilewise import passes
from tilewise.merge import merge_into
from tilewise.ops import Once, flash_attention
from tilewise.ranks import Group, agree, pass_on, ring_of
from tilewise.zigzag import meets


@overload
def ring_attention(
    q: Tensor, k: Tensor, v: Tensor, *, group: Group = ..., causal: bool = ...,
    scale: float | None = ..., return_lse: Literal[False] = ...,
) -> Tensor: ...  # fmt: skip
@overload
def ring_attention(
    q: Tensor, k: Tensor, v: Tensor, *, group: Group = ..., causal: bool = ...,
    scale: float | None = ..., return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...  # fmt: skip
@overload
def ring_attention(
    q: Tensor, k: Tensor, v: Tensor, *, group: Group = ..., causal: bool = ...,
    scale: float | None = ..., return_lse: bool,
) -> Tensor | tuple[Tensor, Tensor]: ...  # fmt: skip
# --8<-- [start:ring_attention]
def ring_attention(
    q: Tensor, k: Tensor, v: Tensor, *, group: Group = None, causal: bool = False,
    scale: float | None = None, return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:  # fmt: skip
    """o = softmax(τ q kᵀ) v over all ranks of a process group, differentiable.

    Each rank of torch.distributed calls it with its share and gets its share of o, and
    with return_lse of L: q (batch, heads, N_q / P, d), k (batch, heads, N_k / P, d),
    v (batch, heads, N_k / P, d_v) → o (batch, heads, N_q / P, d_v) in q's dtype, L
    (batch, heads, N_q / P) in fp32 or wider. fp16, bf16, fp32, fp64; fewer heads of k
    and v as in flash_attention. None for scale is 1/√d.

    group None is all processes. Without causal the order of the shares does not matter
    and their lengths may differ. causal=True takes the zig-zag order of
    `tilewise.zigzag`, and shares of one even length. One rank, or no process group, is
    flash_attention.

    What fits on no rank, or not with other ranks, raises ValueError on all of them. All
    must make the same calls, forward and backward: one that does not leaves the others
    waiting for the `timeout` of init_process_group. NCCL takes the current device of
    each process: torch.cuda.set_device.
    """
    rank, world = ring_of(group)
    if world == 1:
        return flash_attention(
            q, k, v, causal=causal, scale=scale, return_lse=return_lse
        )
    lengths = agree(q, k, v, causal, scale, group)
    options = causal, None if scale is None else float(scale), group, rank, lengths
    o, lse = Ring.apply(q, k, v, options)
    return (o, lse) if return_lse else o
    # --8<-- [end:ring_attention]


# --8<-- [start:Ring]
class Ring(torch.autograd.Function):
    """o and L; keeps this rank's q, k, v, o and L, and nothing of the others."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, options: Any,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        ctx.options = options
        ctx.set_materialize_grads(False)
        o, lse = ring_forward(q, k, v, *options)
        ctx.save_for_backward(q, k, v, o, lse)
        return o, lse

    @staticmethod
    def backward(
        ctx: Any, do: Tensor | None, dlse: Tensor | None,
    ) -> tuple[Tensor | None, ...]:  # fmt: skip
        once = RingOnce.apply if torch.is_grad_enabled() else ring_backward
        given = *ctx.saved_tensors, do, dlse, *ctx.options
        return *once(*given), None


class RingOnce(Once):
    """The backward pass, with no gradient of its own: create_graph asks for one."""

    @staticmethod
    def forward(ctx: Any, *given: Any) -> tuple[Tensor, ...]:
        return ring_backward(*given)


def shapes(
    k: Tensor, v: Tensor, lengths: Sequence[int], step: int, rank: int,
) -> list[tuple[int, ...]]:  # fmt: skip
    """The shapes of k and v that this rank holds at a step."""
    n = lengths[(rank - step) % len(lengths)]
    return [(*x.shape[:2], n, x.shape[-1]) for x in (k, v)]


def wider(x: Tensor) -> Tensor:
    """A copy of x for sums: fp32, or float64 for float64."""
    return x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
    # --8<-- [end:Ring]


# --8<-- [start:ring_forward]
@torch.no_grad()
def ring_forward(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float | None, group: Group,
    rank: int, lengths: Sequence[int],
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """o and L of this rank's rows; options as in `ring_attention`, N_k by rank.

    q (batch, heads, N_q / P, d) and so on → o (batch, heads, N_q / P, d_v) in q's
    dtype, L (batch, heads, N_q / P).
    """
    world = len(lengths)
    for step in range(world):
        source = (rank - step) % world
        if step + 1 < world:  # away while this rank computes with it
            wait = pass_on([k, v], shapes(k, v, lengths, step + 1, rank), group)
        rows, keys, mask = meets(rank, source, q.shape[2], k.shape[2], causal)
        given = q[:, :, rows], k[:, :, keys], v[:, :, keys]
        part = passes.forward(*given, None, (mask, scale, 0.0, None))
        if step == 0:
            o, lse = wider(part[0]), part[1]
        else:
            merge_into(o[:, :, rows], lse[:, :, rows], *part)
        if step + 1 < world:
            k, v = wait()
    return o.to(q.dtype), lse
    # --8<-- [end:ring_forward]


# --8<-- [start:ring_backward]
@torch.no_grad()
def ring_backward(
    q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor, do: Tensor | None,
    dlse: Tensor | None, causal: bool, scale: float | None, group: Group, rank: int,
    lengths: Sequence[int],
) -> tuple[Tensor, ...]:  # fmt: skip
    """dQ, dK, dV of this rank's share, shapes and options as in `ring_forward`.

    o and L are those of all keys, so e^{S − L} is P itself and each block's gradients
    are summands: nothing is rescaled. dQ stays; dK and dV, sums in fp32, follow their
    keys one step behind and are home after P of them. do and dlse may be None.
    """
    do, world = torch.zeros_like(o) if do is None else do, len(lengths)
    come: Callable[[], list[Tensor]] = list  # gives dK, dV of the ranks before
    for step in range(world):
        source, last = (rank - step) % world, step + 1 == world
        after = shapes(k, v, lengths, step + 1, rank)
        if not last:
            wait = pass_on([k, v], after, group)
        rows, keys, mask = meets(rank, source, q.shape[2], k.shape[2], causal)
        saved = o[:, :, rows], do[:, :, rows], lse[:, :, rows]
        more = None if dlse is None else dlse[:, :, rows]
        given = q[:, :, rows], k[:, :, keys], v[:, :, keys], *saved, more
        parts = passes.backward(*given, None, False, (mask, scale, 0.0, None))[:3]
        if step == 0:
            dq, *sums = map(wider, parts)
        else:
            dq[:, :, rows] += parts[0]
            sums = come()  # those of the ranks before, for the keys that are here
            for x, part in zip(sums, parts[1:]):
                x[:, :, keys] += part
        come = pass_on(sums, after, group)
        if not last:
            k, v = wait()
    return tuple(x.to(q.dtype) for x in (dq, *come()))
    # --8<-- [end:ring_backward]
