"""Attention as torch.func sees it: grad, jacrev and vmap, in any order.

Of an operator or an autograd.Function with a context, torch.func knows too little. Here
the two passes are functions of tensors alone, with a rule for vmap: the new axis is one
more in front, and where that would not do (a mask, slopes or a seed for each entry),
the entries are computed one by one.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tilewise.attention.autograd import Once
from tilewise.attention.library import (
    Tensors,
    attention,
    attention_backward,
    flat,
    gradients,
    keep,
)
from tilewise.attention.passes import Options

Dims = tuple[int | None, ...]


class Forward(torch.autograd.Function):
    """o and L."""

    @staticmethod
    def forward(*inputs: Any) -> Tensors:
        return attention(*inputs)

    setup_context = staticmethod(keep)

    @staticmethod
    def backward(ctx: Any, do: Tensor | None, dlse: Tensor | None) -> Any:
        return gradients(ctx, do, dlse, backward)

    @staticmethod
    def vmap(info: Any, dims: Dims, *inputs: Any) -> tuple[Tensors, Dims]:
        return mapped(Forward.apply, 3, info.batch_size, dims, inputs)


class Backward(Once):
    """The six gradients; the mask and what is wanted come after what has rows."""

    @staticmethod
    def forward(*inputs: Any) -> Tensors:
        *rows, attn_mask, a, b, c = inputs[:11]
        order = *rows[:5], attn_mask, *rows[5:], [a, b, c]
        return attention_backward(*order, *inputs[11:])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def vmap(info: Any, dims: Dims, *inputs: Any) -> tuple[Tensors, Dims]:
        foldable = 0 if any(inputs[8:11]) else 7
        return mapped(Backward.apply, foldable, info.batch_size, dims, inputs)


def backward(*inputs: Any) -> Any:
    """Backward with the arguments of tilewise::attention_backward."""
    q, k, v, o, lse, attn_mask, do, dlse, wanted, *options = inputs
    return Backward.apply(q, k, v, o, lse, do, dlse, attn_mask, *wanted, *options)


def mapped(
    function: Callable[..., Tensors],
    foldable: int,
    size: int,
    dims: Dims,
    inputs: tuple[Any, ...],
) -> tuple[Tensors, Dims]:
    """function over `size` entries, axis dims[i] of inputs[i] (None: the same for all).

    If only the first `foldable` inputs differ, they get one more axis in front.
    """
    pairs = [*zip(inputs, dims)]
    moved = [x if dim is None else x.movedim(dim, 0) for x, dim in pairs]
    *_, seed, _left, _right, _cap, slopes, _sinks, _first, _end = inputs
    alone = seed is not None or (slopes is not None and slopes.ndim > 1)
    if foldable and not alone and all(dim is None for dim in dims[foldable:]):
        for at, (x, dim) in enumerate(pairs[:foldable]):
            if x is not None and dim is None:
                moved[at] = x.expand(size, *x.shape)
        results = function(*moved)
    else:
        each = [
            function(*(x if dim is None else x[i] for x, dim in zip(moved, dims)))
            for i in range(size)
        ]
        results = tuple(map(torch.stack, zip(*each)))
    return results, (0,) * len(results)


apart: Callable[..., Any] = torch.compiler.disable(Forward.apply)


def attend(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, options: Options
) -> tuple[Tensor, Tensor]:
    """(o, L), for a call within torch.func, which a compiler leaves as it is."""
    return apart(q, k, v, attn_mask, *flat(options))
