"""The passes over packed documents as operators of PyTorch: tilewise::attention_varlen.

What `tilewise.attention.library` is for batches. The lengths are tensors, so one
compiled graph serves all documents of a total length; their values are checked when it
runs.
"""

from typing import Any

import torch
from torch import Tensor

from tilewise.attention.library import CAUSAL, MEANING, Tensors, placed
from tilewise.tiled import like
from tilewise.types import Causal
from tilewise.varlen.passes import backward, forward

PLACES = "Tensor cu_q, Tensor cu_k, str causal, float? scale"


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_q: Tensor,
    cu_k: Tensor,
    causal: Causal,
    scale: float | None,
) -> tuple[Tensor, Tensor]:
    """(o, L) by the operator."""
    return attention_varlen(q, k, v, cu_q, cu_k, CAUSAL[causal], scale)


@torch.library.custom_op(
    "tilewise::attention_varlen",
    mutates_args=(),
    schema=f"(Tensor q, Tensor k, Tensor v, {PLACES}) -> (Tensor, Tensor)",
)
def attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_q: Tensor,
    cu_k: Tensor,
    causal: str,
    scale: float | None,
) -> Tensors:
    """o and L, as tilewise.varlen.passes has them."""
    results = forward(q, k, v, cu_q, cu_k, MEANING[causal], scale)
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
    f" Tensor? dlse, {PLACES}) -> (Tensor, Tensor, Tensor)",
)
def attention_varlen_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    do: Tensor | None,
    dlse: Tensor | None,
    cu_q: Tensor,
    cu_k: Tensor,
    causal: str,
    scale: float | None,
) -> Tensors:
    """dQ, dK and dV."""
    grads = backward(q, k, v, o, do, lse, dlse, cu_q, cu_k, MEANING[causal], scale)
    return placed(grads, rooms_backward(q, k, v))


@attention_varlen_backward.register_fake
def rooms_backward(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> Tensors:
    """Empty dQ, dK and dV."""
    return like(q), like(k), like(v)


def keep(ctx: Any, inputs: Any, output: Any) -> None:
    """What the backward pass needs."""
    *tensors, ctx.causal, ctx.scale = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, *output)


def gradients(
    ctx: Any, do: Tensor | None, dlse: Tensor | None
) -> tuple[Tensor | None, ...]:
    """Of the inputs of tilewise::attention_varlen."""
    q, k, v, cu_q, cu_k, o, lse = ctx.saved_tensors
    how = cu_q, cu_k, ctx.causal, ctx.scale
    grads = attention_varlen_backward(q, k, v, o, lse, do, dlse, *how)
    return *grads, None, None, None, None


attention_varlen.register_autograd(gradients, setup_context=keep)
