"""The passes as operators of PyTorch: tilewise::attention and its backward pass.

torch.compile and torch.export take an operator as one piece: they need its results'
shapes (the fakes below) and its gradient, and look no further. A TorchDispatchMode sees
operators only: selective checkpointing names torch.ops.tilewise.attention.default, and
`tilewise.training.flops` counts it. Other eager code does not come through here, since
an operator written in Python costs 30 µs a call and more.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from tilewise.attention.passes import Options, backward, forward
from tilewise.block_sparse import BlockMask
from tilewise.fits import Causal, check
from tilewise.tiled import like

Tensors = tuple[Tensor, ...]

CAUSAL: dict[Causal, str]
CAUSAL = {False: "no", True: "bottom-right", "top-left": "top-left"}
MEANING: dict[str, Causal] = {name: causal for causal, name in CAUSAL.items()}
OPTIONS = (
    "str causal, float? scale, float dropout_p, Tensor? seed, int? left, int? right,"
    " float? softcap, Tensor? alibi_slopes, Tensor? sinks, Tensor? first, Tensor? end"
)
TENSORS = (3, 7, 8, 9, 10)  # which of them are tensors
SAVED = "Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor? attn_mask"


def flat(options: Options) -> list[Any]:
    """The options as an operator takes them."""
    causal, scale, dropout_p, seed, window, *more, block_mask = options
    intervals = (None, None) if block_mask is None else block_mask[:2]
    ends = window or (None, None)
    return [CAUSAL[causal], scale, dropout_p, seed, *ends, *more, *intervals]


def gathered(options: Iterable[Any], n_k: int) -> Options:
    """The options from what an operator took; n_k is N_k.

    The mask is made of views, so that what kernels keep for it ends with the call: what
    lies in the memory of a graph must not stay.
    """
    causal, scale, p, seed, left, right, softcap, slopes, sinks, first, end = options
    window = None if left is None and right is None else (left, right)
    mask = None if first is None else BlockMask(first[:], end[:], n_k)
    more = window, softcap, slopes, sinks, mask
    return Options(MEANING[causal], scale, p, seed, *more)


def attend(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, options: Options
) -> tuple[Tensor, Tensor]:
    """(o, L) by the operator."""
    check(q, k, v, 1, 1, options.causal)
    return attention(q, k, v, attn_mask, *flat(options))


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
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, *options: Any
) -> Tensors:
    """o and L, as tilewise.attention.passes has them."""
    results = forward(q, k, v, attn_mask, gathered(options, k.shape[-2]))
    return placed(results, rooms(q, k, v))


@attention.register_fake
def rooms(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    """Empty o and L."""
    lse = torch.promote_types(q.dtype, torch.float32)
    return like(q, v.shape[-1]), q.new_empty(q.shape[:-1], dtype=lse)


@torch.library.custom_op(
    "tilewise::attention_backward",
    mutates_args=(),
    schema=f"({SAVED}, Tensor? do_, Tensor? dlse, bool[] wanted, {OPTIONS})"
    " -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
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
    wanted: list[bool],
    *options: Any,
) -> Tensors:
    """dQ, dK, dV and those of mask, slopes and sinks, empty where not wanted."""
    how = gathered(options, k.shape[-2])
    grads = backward(q, k, v, o, do, lse, dlse, attn_mask, wanted, how)
    filled = [q.new_empty(0) if x is None else x for x in grads]
    more = o, lse, attn_mask, do, dlse, wanted
    return placed(filled, rooms_backward(q, k, v, *more, *options))


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
    wanted: list[bool],
    *options: Any,
) -> Tensors:
    """Empty dQ, dK, dV and gradients of mask, slopes and sinks."""
    learned = attn_mask, options[7], options[8]
    more = (
        q.new_empty(0) if x is None or not want else torch.empty_like(x)
        for x, want in zip(learned, wanted)
    )
    return like(q), like(k), like(v), *more


def keep(ctx: Any, inputs: Any, output: Any) -> None:
    """What the backward pass needs."""
    q, k, v, attn_mask, *options = inputs
    tensors = [options[at] for at in TENSORS]
    ctx.options = [None if at in TENSORS else x for at, x in enumerate(options)]
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(q, k, v, *output, attn_mask, *tensors)


def gradients(
    ctx: Any,
    do: Tensor | None,
    dlse: Tensor | None,
    backward: Callable[..., Any] = attention_backward,
) -> tuple[Tensor | None, ...]:
    """Of the inputs of tilewise::attention."""
    *saved, seed, slopes, sinks, first, end = ctx.saved_tensors
    options = list(ctx.options)
    for at, x in zip(TENSORS, (seed, slopes, sinks, first, end)):
        options[at] = x
    wanted = [ctx.needs_input_grad[at] for at in (3, 4 + 7, 4 + 8)]
    results = backward(*saved, do, dlse, wanted, *options)
    grads: list[Tensor | None] = [None] * (4 + len(options))
    for at, x in zip((0, 1, 2, 3, 11, 12), results):
        grads[at] = x if at < 3 or ctx.needs_input_grad[at] else None
    return tuple(grads)


attention.register_autograd(gradients, setup_context=keep)
