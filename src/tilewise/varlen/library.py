"""The passes over packed documents as operators of PyTorch: tilewise::attention_varlen.

What `tilewise.attention.library` is for batches. The lengths are tensors, so one
compiled graph serves all documents of a total length; their values are checked when it
runs.
"""

from typing import Any

import torch
from torch import Tensor

from tilewise.attention.library import OPTIONS, TENSORS, Tensors, flat, gathered, placed
from tilewise.attention.passes import Options
from tilewise.tiled import like
from tilewise.varlen.passes import backward, forward

PLACES = f"Tensor cu_q, Tensor cu_k, {OPTIONS}"


def attend(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, options: Options
) -> tuple[Tensor, Tensor]:
    """(o, L) by the operator."""
    return attention_varlen(q, k, v, cu_q, cu_k, *flat(options))


@torch.library.custom_op(
    "tilewise::attention_varlen",
    mutates_args=(),
    schema=f"(Tensor q, Tensor k, Tensor v, {PLACES}) -> (Tensor, Tensor)",
)
def attention_varlen(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, *options: Any
) -> Tensors:
    """o and L, as tilewise.varlen.passes has them."""
    results = forward(q, k, v, cu_q, cu_k, gathered(options, len(k)))
    return placed(results, rooms(q, k, v))


@attention_varlen.register_fake
def rooms(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    """Empty o and L."""
    lse = torch.promote_types(q.dtype, torch.float32)
    return like(q, v.shape[-1]), q.new_empty(q.shape[1::-1], dtype=lse).mT


@torch.library.custom_op(
    "tilewise::attention_varlen_backward",
    mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor? do_,"
    f" Tensor? dlse, bool[] wanted, {PLACES})"
    " -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)
def attention_varlen_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    do: Tensor | None,
    dlse: Tensor | None,
    wanted: list[bool],
    cu_q: Tensor,
    cu_k: Tensor,
    *options: Any,
) -> Tensors:
    """dQ, dK, dV and those of slopes and sinks, empty where not wanted."""
    how = gathered(options, len(k))
    grads = backward(q, k, v, o, do, lse, dlse, cu_q, cu_k, wanted, how)
    filled = [q.new_empty(0) if x is None else x for x in grads]
    more = o, lse, do, dlse, wanted, cu_q, cu_k
    return placed(filled, rooms_backward(q, k, v, *more, *options))


@attention_varlen_backward.register_fake
def rooms_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    do: Tensor | None,
    dlse: Tensor | None,
    wanted: list[bool],
    cu_q: Tensor,
    cu_k: Tensor,
    *options: Any,
) -> Tensors:
    """Empty dQ, dK, dV and gradients of slopes and sinks."""
    more = (
        q.new_empty(0) if x is None or not want else torch.empty_like(x)
        for x, want in zip(options[7:9], wanted)
    )
    return like(q), like(k), like(v), *more


def keep(ctx: Any, inputs: Any, output: Any) -> None:
    """What the backward pass needs."""
    tensors, options = inputs[:5], inputs[5:]
    ctx.options = [None if at in TENSORS else x for at, x in enumerate(options)]
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, *output, *(options[at] for at in TENSORS))


def gradients(
    ctx: Any, do: Tensor | None, dlse: Tensor | None
) -> tuple[Tensor | None, ...]:
    """Of the inputs of tilewise::attention_varlen."""
    q, k, v, cu_q, cu_k, o, lse, *tensors = ctx.saved_tensors
    options = list(ctx.options)
    for at, x in zip(TENSORS, tensors):
        options[at] = x
    wanted = list(ctx.needs_input_grad[12:14])
    saved = q, k, v, o, lse, do, dlse, wanted, cu_q, cu_k
    *grads, slopes, sinks = attention_varlen_backward(*saved, *options)
    learned = (x if want else None for x, want in zip((slopes, sinks), wanted))
    return *grads, *[None] * 9, *learned, None, None


attention_varlen.register_autograd(gradients, setup_context=keep)
