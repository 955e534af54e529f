"""Differentiable attention: the fastest kernels that fit, or PyTorch, tile by tile.

On NVIDIA GPUs from compute capability 8.0 on a kernel computes fp16, bf16 and fp32 with
d and d_v multiples of 8 up to 256. Anything else runs by tiles in PyTorch, and so do a
mask given as a tensor, and packed documents with a block mask
(`tilewise.attention.dispatch`). The fastest backward pass adds dQ up in an order that
changes from run to run, unless torch.use_deterministic_algorithms(True) asks for the
same bits.
"""

from typing import Any, Literal, TypedDict, Unpack, overload

import torch
from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function

from tilewise.attention import functional, library
from tilewise.attention.autograd import Attention
from tilewise.attention.checks import (
    as_numbers,
    check_options,
    check_tensors,
    transforms,
)
from tilewise.attention.empty import one_column, without_rows
from tilewise.attention.mask import check_mask
from tilewise.attention.passes import Options, Window, forward
from tilewise.block_sparse import BlockMask
from tilewise.fits import Causal

# A PyTorch without this private question takes a slower way to the same result.
dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)


class How(TypedDict, total=False):
    """The options of flash_attention and flash_attention_varlen but return_lse."""

    causal: Causal
    scale: float | None
    window: Window | None
    softcap: float | None
    alibi_slopes: Tensor | None
    sinks: Tensor | None
    block_mask: BlockMask | None
    dropout_p: float


@overload
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    return_lse: Literal[False] = ...,
    **options: Unpack[How],
) -> Tensor: ...
@overload
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    return_lse: Literal[True],
    **options: Unpack[How],
) -> tuple[Tensor, Tensor]: ...
@overload
def flash_attention(
    q: Tensor, k: Tensor, v: Tensor, *, return_lse: bool, **options: Unpack[How]
) -> Tensor | tuple[Tensor, Tensor]: ...
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
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
    """o = softmax(τ q kᵀ) v, differentiable, without a matrix of N_q × N_k numbers.

    q (batch, heads, N_q, d), k (batch, heads, N_k, d), v (batch, heads, N_k, d_v), all
    fp16, bf16, fp32 or fp64 → o (batch, heads, N_q, d_v) in q's dtype, and with
    return_lse also L = log Σ e^s (batch, heads, N_q), natural, in fp32 or wider.
    k and v may have fewer heads than q, if these divide q's (GQA, MQA). scale None is
    τ = 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q (bottom-right),
    "top-left" 0 .. r. A row that sees no key has o = 0, L = −∞ and gradient 0.

    In this order, softcap c makes c tanh(s / c) of each score, alibi_slopes (heads,) or
    (batch, heads) add −slope |i + N_k − N_q − j|, window (left, right) and block_mask
    (`tilewise.block_sparse`) hide keys, sinks (heads,) are logits that only the sum and
    L count, and dropout_p, with a seed from PyTorch's CPU generator, drops weights.

    Gradients flow through o and L, once, also to alibi_slopes and sinks, and within
    torch.func too. What does not fit raises ValueError or TypeError.
    """
    more = window, softcap, alibi_slopes, sinks, block_mask
    if not isinstance(q, torch.Tensor) and has_torch_function((q, k, v)):  # torch.fx
        kept: Any = dict(zip(Options._fields[4:], more), causal=causal, scale=scale)
        kept |= {"dropout_p": dropout_p, "return_lse": return_lse}
        return handle_torch_function(flash_attention, (q, k, v), q, k, v, **kept)
    check_tensors(q=q, k=k, v=v)
    for name, x in (("q", q), ("k", k), ("v", v)):
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, N, d), not {(*x.shape,)}")
    return attend(q, k, v, None, causal, scale, dropout_p, *more, return_lse=return_lse)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    causal: Causal = False,
    scale: float | None = None,
    dropout_p: float = 0.0,
    *more: Any,
    return_lse: bool = False,
    **named: Any,
) -> Any:
    """o or (o, L) of (..., heads, N, d), with what PyTorch's function has besides.

    attn_mask broadcasts to S (..., heads, N_q, N_k): bools, True where a row may see a
    key, or floats to add to S, whose gradient is there if wanted. dropout_p in [0, 1)
    draws its seed from PyTorch's CPU generator, which torch.manual_seed sets. more and
    named are the other fields of Options.
    Raises ValueError or TypeError for an option that cannot be.
    """
    scale, dropout_p = as_numbers(scale, dropout_p)
    seed = torch.randint(2**63 - 1, (), device="cpu") if dropout_p else None
    options = Options(causal, scale, dropout_p, seed, *more, **named)
    check_options(options, q, k)
    if attn_mask is not None:
        check_mask(attn_mask, (*q.shape[:-1], k.shape[-2]), q.dtype)
    return compute(q, k, v, attn_mask, options, return_lse)


def compute(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None,
    options: Options,
    return_lse: bool,
) -> Any:
    """o or (o, L) with options that were checked, on the way that fits this call."""
    if not v.shape[-1]:
        o, lse = compute(q, k, one_column(v), attn_mask, options, True)
        return (o[..., :0], lse) if return_lse else o[..., :0]
    if q.shape[-1] == k.shape[-1] == 0:
        q, k, options = one_column(q), one_column(k), options._replace(scale=1.0)
    if not (q.numel() and k.numel() and v.numel()):
        o, lse = without_rows(q, k, v, options.sinks)
    elif transforms():
        o, lse = functional.attend(q, k, v, attn_mask, options)
    elif torch.compiler.is_compiling() or watched() or without_address(q, k, v):
        o, lse = library.attend(q, k, v, attn_mask, options)
    elif unrecorded():
        o, lse = forward(q, k, v, attn_mask, options)
    else:
        learned = attn_mask, options.alibi_slopes, options.sinks
        return Attention.apply(q, k, v, *learned, options, return_lse)
    return (o, lse) if return_lse else o


def unrecorded() -> bool:
    """Whether autograd has no part in this call: no_grad, and no forward mode at work.

    Forward mode asks an autograd.Function even then, and is refused.
    """
    forward_mode = getattr(torch.autograd.forward_ad, "_current_level", 0) >= 0
    return not (torch.is_grad_enabled() or forward_mode)


def watched() -> bool:
    """Whether a TorchDispatchMode sees operators: selective checkpointing, counting.

    It can name, keep and count torch.ops.tilewise.attention, and no plain function.
    """
    return dispatch_modes() > 0


def without_address(q: Tensor, k: Tensor, v: Tensor) -> bool:
    """Whether a tensor's class says itself what operators do, and may hold no memory.

    So do FakeTensor and DTensor: a kernel would get 0 for their address. A tensor on
    the device "meta" has a shape alone.
    """
    if q.__class__ is k.__class__ is v.__class__ is torch.Tensor:
        return q.is_meta
    usual = torch.Tensor.__torch_dispatch__
    return any(type(x).__torch_dispatch__ is not usual for x in (q, k, v))
