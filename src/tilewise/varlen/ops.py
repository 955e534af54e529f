"""Differentiable attention over packed documents: one tensor of rows, no padding.

Documents stand one after another, and cu_seqlens says where each begins and the last
one ends: 0, 5, 5, 12 for lengths 5, 0 and 7. What one document holds, be it NaN,
changes no bit of another's results and gradients. Nothing is padded, and no matrix
N × N is made.
"""

from typing import Any, Literal, overload

import torch
from torch import Tensor

from tilewise.attention.autograd import Once
from tilewise.attention.ops import unrecorded, without_address
from tilewise.types import Causal
from tilewise.varlen import library as varlen_library
from tilewise.varlen.passes import backward, check, forward


@overload
def flash_attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    causal: Causal = ...,
    scale: float | None = ...,
    return_lse: Literal[False] = ...,
) -> Tensor: ...
@overload
def flash_attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    causal: Causal = ...,
    scale: float | None = ...,
    return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def flash_attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    causal: Causal = ...,
    scale: float | None = ...,
    return_lse: bool,
) -> Tensor | tuple[Tensor, Tensor]: ...
def flash_attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    causal: Causal = False,
    scale: float | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v of each packed document by itself, differentiable.

    q (total_q, heads, d), k (total_k, heads, d), v (total_k, heads, d_v), all fp16,
    bf16, fp32 or fp64 → o (total_q, heads, d_v) in q's dtype, and with return_lse also
    L (total_q, heads), natural, in fp32 or wider.
    cu_seqlens_q, cu_seqlens_k (documents + 1), int32 or int64 on any device, begin with
    0, never fall and end with the total: document b has rows cu_seqlens_q[b] ..
    cu_seqlens_q[b + 1] − 1, maybe none, and sees its own keys alone. k and v may have
    fewer heads (GQA, MQA); causal, by document, scale and rows that see no key are as
    in flash_attention.

    Kernels compute what they do there without waiting on the host for lengths that are
    on the GPU. These are not checked: where they fall or leave rows out, results are
    undefined, but no memory outside of the tensors is touched. Lengths on the CPU, and
    those of what runs by tiles in PyTorch, are checked. As in flash_attention the
    fastest backward pass adds dQ up in any order, unless
    torch.use_deterministic_algorithms(True) asks for the same bits. Gradients flow
    through o and L, once. Raises ValueError or TypeError.
    """
    inputs = q, k, v, cu_seqlens_q, cu_seqlens_k
    check(*inputs, causal, scale)
    scale = None if scale is None else float(scale)
    if torch.compiler.is_compiling() or without_address(q, k, v):
        o, lse = varlen_library.attend(*inputs, causal, scale)
    elif unrecorded():
        o, lse = forward(*inputs, causal, scale)
    else:
        return Packed.apply(*inputs, causal, scale, return_lse)
    return (o, lse) if return_lse else o


class Packed(torch.autograd.Function):
    """o, or o and L; keeps q, k, v, o, L and the lengths."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        cu_q: Tensor,
        cu_k: Tensor,
        causal: Causal,
        scale: float | None,
        return_lse: bool,
    ) -> Tensor | tuple[Tensor, Tensor]:
        ctx.causal, ctx.scale = causal, scale
        ctx.set_materialize_grads(False)
        o, lse = forward(q, k, v, cu_q, cu_k, causal, scale)
        ctx.save_for_backward(q, k, v, o, lse, cu_q, cu_k)
        return (o, lse) if return_lse else o

    @staticmethod
    def backward(
        ctx: Any, do: Tensor | None, dlse: Tensor | None = None
    ) -> tuple[Tensor | None, ...]:
        q, k, v, o, lse, cu_q, cu_k = ctx.saved_tensors
        once = PackedOnce.apply if torch.is_grad_enabled() else backward  # create_graph
        grads = once(q, k, v, o, do, lse, dlse, cu_q, cu_k, ctx.causal, ctx.scale)
        return *grads, None, None, None, None, None


class PackedOnce(Once):
    """The backward pass, with no gradient of its own."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[Tensor, ...]:
        return backward(*inputs)
