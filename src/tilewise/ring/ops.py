"""Ring attention: a sequence over P ranks, with keys and values that travel round.

The ring goes round for a few heads at a time, `tilewise.ring.passes`: what is on its
way or in fp32 is of these heads only, and what comes out is written into the whole.
Source: Ring Attention, H. Liu, M. Zaharia, P. Abbeel, arXiv 2310.01889.
"""

from typing import Any, Literal, NamedTuple, TypeAlias, overload

import torch
from torch import Tensor

from tilewise.attention.autograd import Once
from tilewise.attention.ops import flash_attention
from tilewise.ledger.ring import at_once
from tilewise.ring.passes import ring_backward, ring_forward
from tilewise.ring.ranks import Group, agree, ring_of

Part: TypeAlias = tuple[slice, slice]  # of a tensor: entries of the batch, heads


class Options(NamedTuple):
    """What a rank's two passes are told beside the tensors."""

    causal: bool
    scale: float | None
    group: Group
    rank: int
    lengths: list[int]  # N_k on each rank


@overload
def ring_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    group: Group = ...,
    causal: Literal[False, "zig-zag"] = ...,
    scale: float | None = ...,
    return_lse: Literal[False] = ...,
) -> Tensor: ...
@overload
def ring_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    group: Group = ...,
    causal: Literal[False, "zig-zag"] = ...,
    scale: float | None = ...,
    return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def ring_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    group: Group = ...,
    causal: Literal[False, "zig-zag"] = ...,
    scale: float | None = ...,
    return_lse: bool,
) -> Tensor | tuple[Tensor, Tensor]: ...
def ring_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    group: Group = None,
    causal: Literal[False, "zig-zag"] = False,
    scale: float | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v over all ranks of a process group, differentiable.

    Each rank of torch.distributed calls it with its share and gets its share of o, and
    with return_lse of L: q (batch, heads, N_q / P, d), k (batch, heads, N_k / P, d),
    v (batch, heads, N_k / P, d_v) → o (batch, heads, N_q / P, d_v) in q's dtype, L
    (batch, heads, N_q / P) in fp32 or wider. fp16, bf16, fp32, fp64; fewer heads of k
    and v as in flash_attention. None for scale is 1/√d.

    group None is all processes. Without causal the order of the shares does not matter
    and their lengths may differ. "zig-zag" takes shares of one even length in the order
    of `tilewise.ring.zigzag`; True is refused, since another order would be masked
    wrongly. One rank is flash_attention. The ring goes round once for a few heads at a
    time, as `tilewise.ledger.ring.at_once` says, beside which a rank holds no more than
    its q, k, v, o, L and their gradients.

    What fits on no rank, or not with other ranks, raises ValueError on all of them. All
    must make the same calls, forward and backward: one that does not leaves the others
    waiting for the `timeout` of init_process_group. NCCL takes the current device of
    each process: torch.cuda.set_device.
    """
    rank, world = ring_of(group)
    if world == 1:
        more: Any = {"causal": causal == "zig-zag" or causal, "scale": scale}
        return flash_attention(q, k, v, return_lse=return_lse, **more)
    rows, lengths = agree(q, k, v, causal, scale, group)
    scale = None if scale is None else float(scale)
    options = Options(bool(causal), scale, group, rank, lengths)
    o, lse = Ring.apply(q, k, v, rows, options)
    return (o, lse) if return_lse else o


class Ring(torch.autograd.Function):
    """o and L; keeps this rank's q, k, v, o and L, and nothing of the others."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, rows: int, options: Options
    ) -> tuple[Tensor, Tensor]:
        ctx.rows, ctx.options = rows, options
        ctx.set_materialize_grads(False)
        same = q.shape[-1] == v.shape[-1]
        o = torch.empty_like(q) if same else q.new_empty(*q.shape[:3], v.shape[-1])
        wide = torch.promote_types(q.dtype, torch.float32)
        lse = q.new_empty(q.shape[:3], dtype=wide)
        for few, keys in turns(q, k, v, rows, max(options.lengths), False):
            o[few], lse[few] = ring_forward(q[few], k[keys], v[keys], *options)
        ctx.save_for_backward(q, k, v, o, lse)
        return o, lse

    @staticmethod
    def backward(
        ctx: Any, do: Tensor | None, dlse: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        once = RingOnce.apply if torch.is_grad_enabled() else all_backward
        q, k, v, o, lse = ctx.saved_tensors
        grads = once(q, k, v, o, lse, do, dlse, ctx.rows, ctx.options)
        return *grads, None, None


class RingOnce(Once):
    """The backward pass, with no gradient of its own: create_graph asks for one."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[Tensor, ...]:
        return all_backward(*inputs)


def all_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    do: Tensor | None,
    dlse: Tensor | None,
    rows: int,
    options: Options,
) -> tuple[Tensor, ...]:
    """dQ, dK, dV of all heads, turn by turn, each in its tensor's dtype."""
    grads = tuple(torch.empty_like(x) for x in (q, k, v))
    for few, keys in turns(q, k, v, rows, max(options.lengths), True):
        saved = q[few], k[keys], v[keys], o[few], lse[few]
        do_few, dlse_few = (None if x is None else x[few] for x in (do, dlse))
        parts = ring_backward(*saved, do_few, dlse_few, *options)
        for grad, heads, part in zip(grads, (few, keys, keys), parts):
            grad[heads] = part
        del parts, part  # free their memory before the next turn
    return grads


def turns(
    q: Tensor, k: Tensor, v: Tensor, rows: int, keys: int, backward: bool
) -> list[tuple[Part, Part]]:
    """[(entries and heads of q, those of k and v)], as slices: what goes round at once.

    rows and keys are the most that any rank has, so every rank finds the same turns.
    """
    (batch, heads), kv_heads = q.shape[:2], k.shape[1]
    sizes = q.shape[-1], v.shape[-1], q.element_size()
    most = at_once(rows, keys, heads, kv_heads, *sizes, batch=batch, backward=backward)
    group = heads // kv_heads
    return [
        ((entries, slice(group * few.start, group * few.stop)), (entries, few))
        for entries in cut(batch, max(1, most // kv_heads))
        for few in cut(kv_heads, most)
    ]


def cut(n: int, most: int) -> list[slice]:
    """Slices of 0 .. n − 1, at most `most` long and of about one size."""
    parts = -(-n // most)
    return [slice(n * i // parts, n * (i + 1) // parts) for i in range(parts)]
