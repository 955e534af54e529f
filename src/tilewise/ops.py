"""Differentiable attention: the passes of `tilewise.flash2` as a function of PyTorch.

Between the passes only q, k, v, o and L are kept, so memory grows with N and not with
N². This is the path for the CPU, and for any device that has no kernels of its own.
"""

# --8<-- [start:imports]
import math
import numbers

import torch

# --8<-- [end:imports]
from tilewise.attn_mask import check_mask, mask_gradient, mask_option
from tilewise.dropout import keep_factors
from tilewise.flash2 import flash2_backward, flash2_forward


# --8<-- [start:flash_attention]
def flash_attention(q, k, v, *, causal=False, scale=None, return_lse=False):
    """o = softmax(τ q kᵀ) v, differentiable, without a matrix of N_q × N_k numbers.

    q (batch, heads, N_q, d), k (batch, heads, N_k, d), v (batch, heads, N_k, d_v), all
    fp16, bf16, fp32 or fp64 → o (batch, heads, N_q, d_v) in q's dtype, and with
    return_lse also L = log Σ e^s (batch, heads, N_q), natural, in fp32 or wider.
    k and v may have fewer heads than q, if these divide q's (GQA, MQA). scale None is
    τ = 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q (bottom-right),
    "top-left" 0 .. r. A row that sees no key has o = 0, L = −∞ and gradient 0.

    Gradients flow through o and L, once: their own gradients raise RuntimeError.
    What does not fit raises ValueError or TypeError.
    """
    for name, x in {"q": q, "k": k, "v": v}.items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(x).__name__}")
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, N, d), not {(*x.shape,)}")
    o, lse = attend(q, k, v, causal=causal, scale=scale)
    return (o, lse) if return_lse else o
    # --8<-- [end:flash_attention]


def attend(q, k, v, attn_mask=None, *, causal=False, scale=None, dropout_p=0.0):
    """(o, L) of (..., heads, N, d), with what PyTorch's function has besides.

    attn_mask broadcasts to S (..., heads, N_q, N_k): bools, True where a row may see a
    key, or floats to add to S, whose gradient is there if wanted. dropout_p in [0, 1)
    draws its seed from PyTorch's CPU generator, which torch.manual_seed sets.
    """
    if not isinstance(scale, numbers.Real | None):
        raise TypeError(f"scale must be None or a number, not {scale!r}")
    if not 0 <= dropout_p < 1:
        raise ValueError(f"dropout_p must be at least 0 and below 1, not {dropout_p}")
    check_mask(attn_mask, (*q.shape[:-1], k.shape[-2]), q.dtype)
    options = {"causal": causal, "scale": scale}
    if dropout_p:
        options["dropout"] = dropout_option(dropout_p, q.shape[:-2])
    return Attention.apply(q, k, v, attn_mask, options)


def dropout_option(p, lead):
    """flash2's option dropout for q (*lead, N_q, d), of any number of axes in front."""
    *batch, heads = 1, *lead
    seed = int(torch.randint(2**63 - 1, ()))
    factors = keep_factors(p, seed, math.prod(batch), heads)
    return lambda rows, cols: factors(rows, cols).reshape(*lead, len(rows), len(cols))


def tile_sizes(q):
    """B_r, B_c for which a tile over all heads of the batch has about 2¹⁸ numbers.

    Below 64 × 64 Python's loops take the time; above 2¹⁸ a tile leaves the cache.
    """
    *_, n_q, _ = q.shape
    side = math.isqrt(2**18 // max(1, q.shape[:-2].numel())).bit_length() - 1
    side = 2 ** max(6, side)  # 64 to 512
    rows = max(1, min(side, n_q))
    return rows, side**2 // rows


# --8<-- [start:Attention]
class Attention(torch.autograd.Function):
    """o and L, forward by flash2_forward; keeps q, k, v, o, L and a mask if given."""

    @staticmethod
    def forward(ctx, q, k, v, attn_mask, options):
        ctx.options = options
        ctx.set_materialize_grads(False)
        with torch.autocast(q.device.type, enabled=False):  # sums stay in fp32
            more = options | mask_option(attn_mask)
            o, lse = flash2_forward(q, k, v, *tile_sizes(q), **more)
        ctx.save_for_backward(q, k, v, o, lse, attn_mask)
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        wanted = ctx.needs_input_grad[3]
        saved = ctx.saved_tensors
        return *Gradients.apply(ctx.options, wanted, do, dlse, *saved), None


class Gradients(torch.autograd.Function):
    """What flash2_backward gives from dO and dL: with no gradient of its own.

    Within a row ∂L/∂S = P, so that dS = P ∘ (dP − δ) + dL P: dL is taken from δ.
    """

    @staticmethod
    def forward(ctx, options, wanted, do, dlse, q, k, v, o, lse, attn_mask):
        do = torch.zeros_like(o) if do is None else do
        dlse = 0 if dlse is None else dlse.masked_fill(lse == -math.inf, 0)
        saved = q, k, v, o, do, lse, *tile_sizes(q)
        more = options | mask_option(attn_mask) | {"dlse": dlse}
        with torch.autocast(q.device.type, enabled=False):
            grads = flash2_backward(*saved, **more)
            return *grads, mask_gradient(attn_mask, *saved, **more) if wanted else None

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(
            "attention by tiles can be differentiated once: for the gradient of a "
            "gradient use standard attention"
        )

    # --8<-- [end:Attention]
