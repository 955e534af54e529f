"""The passes as operators of PyTorch: tilewise::attention and its backward pass.

torch.compile and torch.export take an operator as one piece: they need its results'
shapes (the fakes below) and its gradient, and look no further. A TorchDispatchMode sees
operators only: selective checkpointing names torch.ops.tilewise.attention.default, and
`tilewise.training.flops` counts it. Other eager code does not come through here, since
an operator written in Python costs 30 µs a call and more.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from tilewise.attention.passes import Options, backward, forward
from tilewise.fits import check
from tilewise.tiled import like
from tilewise.types import Causal

Tensors = tuple[Tensor, ...]

CAUSAL: dict[Causal, str]
CAUSAL = {False: "no", True: "bottom-right", "top-left": "top-left"}
MEANING: dict[str, Causal] = {name: causal for causal, name in CAUSAL.items()}
OPTIONS = "str causal, float? scale, float dropout_p, Tensor? seed"
SAVED = "Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor? attn_mask"


def attend(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, options: Options
) -> tuple[Tensor, Tensor]:
    """(o, L) by the operator."""
    causal, *more = options
    check(q, k, v, 1, 1, causal)
    return attention(q, k, v, attn_mask, CAUSAL[causal], *more)


def placed(results: Iterable[Tensor], rooms: Iterable[Tensor]) -> Tensors:
    """The results as torch.compile was told that they lie in memory."""
    pairs = zip(results, rooms)
    return tuple(x if x.stride() == y.stride() else y.copy_(x) for x, y in pairs)


@torch.library.custom_op(
    "tilewise::attention",
    mutates_args=(),
    schema=f"(Tensor q, Tensor k, Tensor v, Tensor? attn_mask, {OPTIONS})"
    " -> (Tensor, Tensor)",
)
def attention(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, causal: str, *more: Any
) -> Tensors:
    """o and L, as tilewise.attention.passes has them."""
    results = forward(q, k, v, attn_mask, Options(MEANING[causal], *more))
    return placed(results, rooms(q, k, v))


@attention.register_fake
def rooms(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    """Empty o and L."""
    lse = torch.promote_types(q.dtype, torch.float32)
    return like(q, v.shape[-1]), q.new_empty(q.shape[:-1], dtype=lse)


@torch.library.custom_op(
    "tilewise::attention_backward",
    mutates_args=(),
    schema=f"({SAVED}, Tensor? do_, Tensor? dlse, bool wanted, {OPTIONS})"
    " -> (Tensor, Tensor, Tensor, Tensor)",
)
def attention_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    attn_mask: Tensor | None,
    do: Tensor | None,
    dlse: Tensor | None,
    wanted: bool,
    causal: str,
    *more: Any,
) -> Tensors:
    """dQ, dK, dV and the mask's gradient, empty if it is not wanted."""
    options = Options(MEANING[causal], *more)
    *grads, bias = backward(q, k, v, o, do, lse, dlse, attn_mask, wanted, options)
    grads.append(q.new_empty(0) if bias is None else bias)
    rooms = rooms_backward(q, k, v, o, lse, attn_mask, do, dlse, wanted)
    return placed(grads, rooms)


@attention_backward.register_fake
def rooms_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    lse: Tensor,
    attn_mask: Tensor | None,
    do: Tensor | None,
    dlse: Tensor | None,
    wanted: bool,
    *_: Any,
) -> Tensors:
    """Empty dQ, dK, dV and gradient of the mask."""
    if attn_mask is None or not wanted:
        return like(q), like(k), like(v), q.new_empty(0)
    return like(q), like(k), like(v), torch.empty_like(attn_mask)


def keep(ctx: Any, inputs: Any, output: Any) -> None:
    """What the backward pass needs."""
    q, k, v, attn_mask, *options, seed = inputs
    ctx.options = options
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(q, k, v, *output, attn_mask, seed)


def gradients(
    ctx: Any, do: Tensor | None, dlse: Tensor | None
) -> tuple[Tensor | None, ...]:
    """Of the inputs of tilewise::attention."""
    *saved, seed = ctx.saved_tensors
    wanted = ctx.needs_input_grad[3]
    *grads, bias = attention_backward(*saved, do, dlse, wanted, *ctx.options, seed)
    return *grads, bias if wanted else None, None, None, None, None


attention.register_autograd(gradients, setup_context=keep)
