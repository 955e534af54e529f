"""Differentiable attention: the fastest kernels that fit, or PyTorch, tile by tile.

Between the passes only q, k, v, o and L are kept, so memory grows with N and not with
N². `tilewise.attention.dispatch` says what runs where; `tilewise.attention.library` is
the same for torch.compile and for dispatch modes.
"""

import numbers
from typing import Any, Literal, NoReturn, overload

import torch
from torch import Tensor

from tilewise.attention import library
from tilewise.attention.mask import check_mask
from tilewise.attention.passes import Options, backward, forward
from tilewise.checks import check_causal
from tilewise.types import Causal

# A PyTorch without these private questions takes a slower way to the same result.
transforms = getattr(torch._C, "_are_functorch_transforms_active", lambda: 1)
dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)


@overload
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: Causal = ...,
    scale: float | None = ...,
    return_lse: Literal[False] = ...,
) -> Tensor: ...
@overload
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: Causal = ...,
    scale: float | None = ...,
    return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: Causal = ...,
    scale: float | None = ...,
    return_lse: bool,
) -> Tensor | tuple[Tensor, Tensor]: ...
def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: Causal = False,
    scale: float | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v, differentiable, without a matrix of N_q × N_k numbers.

    q (batch, heads, N_q, d), k (batch, heads, N_k, d), v (batch, heads, N_k, d_v), all
    fp16, bf16, fp32 or fp64 → o (batch, heads, N_q, d_v) in q's dtype, and with
    return_lse also L = log Σ e^s (batch, heads, N_q), natural, in fp32 or wider.
    k and v may have fewer heads than q, if these divide q's (GQA, MQA). scale None is
    τ = 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q (bottom-right),
    "top-left" 0 .. r. A row that sees no key has o = 0, L = −∞ and gradient 0.

    On NVIDIA GPUs from compute capability 8.0 on a kernel computes fp16, bf16 and fp32
    with d = d_v a multiple of 8 up to 256; anything else runs by tiles in PyTorch. The
    fastest backward pass adds dQ up in an order that changes from run to run, unless
    torch.use_deterministic_algorithms(True) asks for the same bits.

    Gradients flow through o and L, once: their own gradients raise RuntimeError.
    What does not fit raises ValueError or TypeError.
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(x).__name__}")
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, N, d), not {(*x.shape,)}")
    return attend(q, k, v, causal=causal, scale=scale, return_lse=return_lse)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    *,
    causal: Causal = False,
    scale: float | None = None,
    dropout_p: float = 0.0,
    return_lse: bool = False,
) -> Any:
    """o or (o, L) of (..., heads, N, d), with what PyTorch's function has besides.

    attn_mask broadcasts to S (..., heads, N_q, N_k): bools, True where a row may see a
    key, or floats to add to S, whose gradient is there if wanted. dropout_p in [0, 1)
    draws its seed from PyTorch's CPU generator, which torch.manual_seed sets.
    Raises ValueError or TypeError for an option that cannot be.
    """
    check_causal(causal)
    if scale is not None and not isinstance(scale, numbers.Real):
        raise TypeError(f"scale must be None or a number, not {scale!r}")
    if not 0 <= dropout_p < 1:
        raise ValueError(f"dropout_p must be at least 0 and below 1, not {dropout_p}")
    if attn_mask is not None:
        check_mask(attn_mask, (*q.shape[:-1], k.shape[-2]), q.dtype)
    scale = None if scale is None else float(scale)
    seed = torch.randint(2**63 - 1, (), device="cpu") if dropout_p else None
    options = Options(causal, scale, dropout_p, seed)
    if torch.compiler.is_compiling() or watched() or without_address(q, k, v):
        o, lse = library.attend(q, k, v, attn_mask, options)
    elif unrecorded():
        o, lse = forward(q, k, v, attn_mask, options)
    else:
        return Attention.apply(q, k, v, attn_mask, options, return_lse)
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


class Attention(torch.autograd.Function):
    """o, or o and L; keeps q, k, v, o, L and a mask."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        attn_mask: Tensor | None,
        options: Options,
        return_lse: bool,
    ) -> Tensor | tuple[Tensor, Tensor]:
        ctx.options = options
        ctx.set_materialize_grads(False)
        o, lse = forward(q, k, v, attn_mask, options)
        ctx.save_for_backward(q, k, v, o, lse, attn_mask)
        return (o, lse) if return_lse else o  # each result costs the host 2 µs

    @staticmethod
    def backward(
        ctx: Any, do: Tensor | None, dlse: Tensor | None = None
    ) -> tuple[Tensor | None, ...]:
        q, k, v, o, lse, attn_mask = ctx.saved_tensors
        wanted = attn_mask is not None and ctx.needs_input_grad[3]
        once = Once.apply if torch.is_grad_enabled() else backward  # create_graph
        grads = once(q, k, v, o, do, lse, dlse, attn_mask, wanted, ctx.options)
        return *grads, None, None


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
