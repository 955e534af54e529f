"""Differentiable attention over packed documents: one tensor of rows, no padding.

Documents stand one after another, and cu_seqlens says where each begins and the last
one ends: 0, 5, 5, 12 for lengths 5, 0 and 7. What one document holds, be it NaN,
changes no bit of another's results and gradients. Nothing is padded, and no matrix
N × N is made.
"""

from typing import Any, Literal, Unpack, overload

import torch
from torch import Tensor

from tilewise.attention.autograd import Once, learning
from tilewise.attention.checks import as_numbers
from tilewise.attention.ops import How, unrecorded, without_address
from tilewise.attention.passes import Options, Window
from tilewise.block_sparse import BlockMask
from tilewise.fits import Causal
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
    return_lse: Literal[False] = ...,
    **options: Unpack[How],
) -> Tensor: ...
@overload
def flash_attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    return_lse: Literal[True],
    **options: Unpack[How],
) -> tuple[Tensor, Tensor]: ...
@overload
def flash_attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    return_lse: bool,
    **options: Unpack[How],
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
    window: Window | None = None,
    softcap: float | None = None,
    alibi_slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    block_mask: BlockMask | None = None,
    dropout_p: float = 0.0,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v of each packed document by itself, differentiable.

    q (total_q, heads, d), k (total_k, heads, d), v (total_k, heads, d_v), all fp16,
    bf16, fp32 or fp64 → o (total_q, heads, d_v) in q's dtype, and with return_lse also
    L (total_q, heads), natural, in fp32 or wider.
    cu_seqlens_q, cu_seqlens_k (documents + 1), int32 or int64 on any device, begin with
    0, never fall and end with the total: document b has rows cu_seqlens_q[b] ..
    cu_seqlens_q[b + 1] − 1, maybe none, and sees its own keys alone. k and v may have
    fewer heads (GQA, MQA). Options and rows that see no key are as in flash_attention,
    document by document: alibi_slopes are (heads,) or (documents, heads), and a
    block_mask, for total_q × total_k scores, counts in the whole pack.

    Kernels do not wait for lengths on the GPU to check them: where they fall or leave
    rows out, results are undefined, but no memory outside of the tensors is touched.
    Gradients flow through o and L, once. Raises ValueError, TypeError, RuntimeError.
    """
    inputs = q, k, v, cu_seqlens_q, cu_seqlens_k
    more = window, softcap, alibi_slopes, sinks, block_mask
    scale, dropout_p = as_numbers(scale, dropout_p)
    check(*inputs, Options(causal, scale, dropout_p, None, *more))
    seed = torch.randint(2**63 - 1, (), device="cpu") if dropout_p else None
    options = Options(causal, scale, dropout_p, seed, *more)
    if torch.compiler.is_compiling() or without_address(q, k, v):
        o, lse = varlen_library.attend(*inputs, options)
    elif unrecorded():
        o, lse = forward(*inputs, options)
    else:
        return Packed.apply(*inputs, alibi_slopes, sinks, options, return_lse)
    return (o, lse) if return_lse else o


class Packed(torch.autograd.Function):
    """o, or o and L; keeps q, k, v, o, L, the lengths, slopes and sinks."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        cu_q: Tensor,
        cu_k: Tensor,
        slopes: Tensor | None,
        sinks: Tensor | None,
        options: Options,
        return_lse: bool,
    ) -> Tensor | tuple[Tensor, Tensor]:
        ctx.options = learning(options, None, None)
        ctx.set_materialize_grads(False)
        o, lse = forward(q, k, v, cu_q, cu_k, options)
        ctx.save_for_backward(q, k, v, o, lse, cu_q, cu_k, slopes, sinks)
        return (o, lse) if return_lse else o

    @staticmethod
    def backward(
        ctx: Any, do: Tensor | None, dlse: Tensor | None = None
    ) -> tuple[Tensor | None, ...]:
        q, k, v, o, lse, cu_q, cu_k, *learned = ctx.saved_tensors
        how = ctx.needs_input_grad[5:7], learning(ctx.options, *learned)
        once = PackedOnce.apply if torch.is_grad_enabled() else backward  # create_graph
        *grads, slopes, sinks = once(q, k, v, o, do, lse, dlse, cu_q, cu_k, *how)
        return *grads, None, None, slopes, sinks, None, None


class PackedOnce(Once):
    """The backward pass, with no gradient of its own."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[Tensor | None, ...]:
        return backward(*inputs)
