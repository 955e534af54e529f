"""FlashAttention in PyTorch, tile by tile, differentiable, on any device.

    o = flash_attention(q, k, v, causal=True)

computes softmax(τ q kᵀ) v and its gradients without a matrix of N_q × N_k numbers. The
loops are those of FlashAttention-2 (arXiv 2307.08691). This file shows the algorithm
and saves its memory; its speed needs a kernel. ALiBi, dropout, masks given as tensors
and packed documents are in the package.
"""

import torch
from torch import Tensor

from tilewise.attention.passes import Window, tile_sizes
from tilewise.checks import check_window
from tilewise.fits import Causal
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.variants import sink_gradient, softcap


def rules(q: Tensor, k: Tensor, sides: Window | None, cap: float | None) -> dict:
    """The options of both passes for a window and for softcap."""
    how: dict = {}
    if sides is not None:  # row r sees keys r + N_k − N_q − left … + right
        here, far = k.shape[-2] - q.shape[-2], k.shape[-2] + q.shape[-2]
        left, right = (far if x is None else x for x in sides)
        how["mask"] = lambda r, c: (c >= r + here - left) & (c <= r + here + right)
    return how if cap is None else how | {"rule": softcap(cap)}


class Attention(torch.autograd.Function):
    """o and L; between the passes only q, k, v, o, L and the sinks are kept."""

    @staticmethod
    def forward(ctx, q, k, v, sinks, options):
        ctx.options, ctx.sizes = options, tile_sizes(q)
        o, lse = flash2_forward(q, k, v, *ctx.sizes, **options, sinks=sinks)
        ctx.save_for_backward(q, k, v, sinks, o, lse)
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        q, k, v, sinks, o, lse = ctx.saved_tensors
        dlse = dlse.masked_fill(lse == -torch.inf, 0)
        saved = q, k, v, o, do, lse, *ctx.sizes
        grads = flash2_backward(*saved, **ctx.options, dlse=dlse)
        wanted = ctx.needs_input_grad[3]
        return *grads, sink_gradient(sinks, o, do, lse, dlse) if wanted else None, None


def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: Causal = False,
    scale: float | None = None,
    window: Window | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v, differentiable once.

    q (batch, heads, N_q, d), k (batch, heads, N_k, d), v (batch, heads, N_k, d_v), one
    float dtype → o (batch, heads, N_q, d_v), and with return_lse also L = log Σ e^s
    (batch, heads, N_q). k and v may have fewer heads than q, if these divide q's (GQA).
    scale None is τ = 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q, and
    "top-left" 0 .. r. A row that sees no key has o = 0, L = −∞ and gradient 0.

    softcap c makes c tanh(s / c) of each score s, window (left, right), each None or a
    whole number, hides keys that are further away, and sinks (heads,) are logits that
    count in the sum only. Raises ValueError for what does not fit.
    """
    check_window(window)
    if causal == "top-left" and window is not None:
        raise ValueError("window needs causal to be True or False")
    how = {"causal": causal, "scale": scale, **rules(q, k, window, softcap)}
    o, lse = Attention.apply(q, k, v, sinks, how)
    return (o, lse) if return_lse else o


def largest_error() -> float:
    """The largest error in float64, gradients included, against the whole formula."""
    torch.manual_seed(0)
    q, k, v, do = torch.randn(4, 2, 4, 200, 16, dtype=torch.float64)
    q, k, v = (x.requires_grad_() for x in (q, k[:, :2], v[:, :2]))
    hidden = torch.ones(200, 200, dtype=torch.bool).triu(1)
    s = (q @ k.repeat_interleave(2, 1).mT / 4).masked_fill(hidden, -torch.inf)
    exact = s.softmax(-1) @ v.repeat_interleave(2, 1)
    found = flash_attention(q, k, v, causal=True)
    exact, found = ([o, *torch.autograd.grad(o, (q, k, v), do)] for o in (exact, found))
    return max((a - b).abs().max().item() for a, b in zip(exact, found))


if __name__ == "__main__":
    error = largest_error()
    assert error < 1e-12, error
    print(f"o, dq, dk, dv: the largest error in float64 is {error:.0e}")
