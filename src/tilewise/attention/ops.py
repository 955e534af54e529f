"""Differentiable attention: the fastest kernels that fit, or PyTorch, tile by tile.

On NVIDIA GPUs from compute capability 8.0 on a kernel computes fp16, bf16 and fp32 with
d and d_v multiples of 8 up to 256. Anything else runs by tiles in PyTorch, and so do a
block_mask, a mask given as a tensor, and packed documents with other options than
causal and scale (`tilewise.attention.dispatch`). The fastest backward pass adds dQ up
in an order that changes from run to run, unless
torch.use_deterministic_algorithms(True) asks for the same bits.
"""

from typing import Any, Literal, TypedDict, Unpack, overload

import torch
from torch import Tensor

from tilewise.attention import library
from tilewise.attention.autograd import Attention
from tilewise.attention.checks import check_numbers, check_options
from tilewise.attention.mask import check_mask
from tilewise.attention.passes import Options, Window, forward
from tilewise.block_sparse import BlockMask
from tilewise.types import Causal

# A PyTorch without these private questions takes a slower way to the same result.
transforms = getattr(torch._C, "_are_functorch_transforms_active", lambda: 1)
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

    Gradients flow through o and L, once, also to alibi_slopes and sinks.
    What does not fit raises ValueError or TypeError.
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(x).__name__}")
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, N, d), not {(*x.shape,)}")
    more = window, softcap, alibi_slopes, sinks, block_mask
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
    check_numbers(scale, dropout_p)
    scale = None if scale is None else float(scale)
    seed = torch.randint(2**63 - 1, (), device="cpu") if dropout_p else None
    options = Options(causal, scale, dropout_p, seed, *more, **named)
    check_options(options, q, k)
    if attn_mask is not None:
        check_mask(attn_mask, (*q.shape[:-1], k.shape[-2]), q.dtype)
    if torch.compiler.is_compiling() or watched() or without_address(q, k, v):
        o, lse = library.attend(q, k, v, attn_mask, options)
    elif unrecorded():
        o, lse = forward(q, k, v, attn_mask, options)
    else:
        learned = attn_mask, options.alibi_slopes, options.sinks
        return Attention.apply(q, k, v, *learned, options, return_lse)
    return (o, lse) if return_lse else o


def unrecorded() -> bool:
    """Whether autograd has no part in this call: no_grad, and no transform at work.

    Forward mode and torch.func ask an autograd.Function even then, and are refused.
    """
    return not (
        torch.is_grad_enabled()
        or transforms()
        or getattr(torch.autograd.forward_ad, "_current_level", 0) >= 0
    )


def watched() -> bool:
    """Whether a TorchDispatchMode sees operators: selective checkpointing, counting.

    It can name, keep and count torch.ops.tilewise.attention, and no plain function.
    """
    return dispatch_modes() > 0


def without_address(q: Tensor, k: Tensor, v: Tensor) -> bool:
    """Whether a tensor's class says itself what operators do, and may hold no memory.

    So do FakeTensor and DTensor: a kernel would get 0 for their address.
    """
    if q.__class__ is k.__class__ is v.__class__ is torch.Tensor:
        return False
    usual = torch.Tensor.__torch_dispatch__
    return any(type(x).__torch_dispatch__ is not usual for x in (q, k, v))
