"""Attention as autograd sees it: what the forward pass keeps, and the backward pass.

Between the passes only q, k, v, o and L are kept, so memory grows with N and not with
N². `tilewise.attention.library` is the same for torch.compile and for dispatch modes.
"""

from typing import Any, NoReturn

import torch
from torch import Tensor

from tilewise.attention.passes import Options, backward, forward


class Attention(torch.autograd.Function):
    """o, or o and L; keeps q, k, v, o, L and what else may want a gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        attn_mask: Tensor | None,
        alibi_slopes: Tensor | None,
        sinks: Tensor | None,
        options: Options,
        return_lse: bool,
    ) -> Tensor | tuple[Tensor, Tensor]:
        ctx.options = learning(options, None, None)  # tensors are saved as such
        ctx.set_materialize_grads(False)
        o, lse = forward(q, k, v, attn_mask, options)
        ctx.save_for_backward(q, k, v, o, lse, attn_mask, alibi_slopes, sinks)
        return (o, lse) if return_lse else o  # each result costs the host 2 µs

    @staticmethod
    def backward(
        ctx: Any, do: Tensor | None, dlse: Tensor | None = None
    ) -> tuple[Tensor | None, ...]:
        q, k, v, o, lse, attn_mask, slopes, sinks = ctx.saved_tensors
        wanted, options = (
            ctx.needs_input_grad[3:6],
            learning(ctx.options, slopes, sinks),
        )
        once = Once.apply if torch.is_grad_enabled() else backward  # create_graph
        grads = once(q, k, v, o, do, lse, dlse, attn_mask, wanted, options)
        return *grads, None, None


def learning(options: Options, slopes: Tensor | None, sinks: Tensor | None) -> Options:
    """The options with these tensors, which may want gradients."""
    if options.alibi_slopes is slopes and options.sinks is sinks:
        return options
    return options._replace(alibi_slopes=slopes, sinks=sinks)


class Once(torch.autograd.Function):
    """The backward pass, with no gradient of its own."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[Tensor | None, ...]:
        return backward(*inputs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> NoReturn:
        raise RuntimeError(
            "attention by tiles can be differentiated once: for the gradient of a "
            "gradient use standard attention"
        )
