"""The worked example's gradients, and an oracle: autograd through plain PyTorch."""

import math

import torch

from .._oracle import hidden_mask

# In ninths, dQ and dK also divided by τ; computed from fractions, checkable by hand.
DV = [[5, 5], [6, 4], [9, 6], [7, 3]]
DQ = [[-26, -4], [18, -24], [-6, -54], [-8, -34]]
DK = [[24, 18], [18, 42], [-30, -66], [-12, 6]]


def attend(q, k, v, *, scale=None, causal=False, seen=None, bias=0, factors=1):
    """Attention as written: whole matrices seen (bool), bias, factors (dropout's Z)."""
    if q.ndim > 2:
        group = q.shape[-3] // k.shape[-3]
        k, v = (
            torch.cat([x.unsqueeze(-3)] * group, -3).flatten(-4, -3) for x in (k, v)
        )
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    hidden = hidden_mask(q.shape[-2], k.shape[-2], causal)
    hidden = hidden if seen is None else hidden | ~seen
    s = torch.matmul(q, k.transpose(-2, -1)) * scale + bias
    s = s.masked_fill(hidden, -torch.inf)
    p = torch.where(hidden.all(-1, keepdim=True), 0, s.softmax(-1)).to(q.dtype)
    return torch.matmul(p * factors, v), s.logsumexp(-1)


def autograd(q, k, v, do, **options):
    """(o, lse, dq, dk, dv) of the above, in the dtype of the input."""
    q, k, v = (x.detach().clone().requires_grad_() for x in (q, k, v))
    o, lse = attend(q, k, v, **options)
    return o.detach(), lse.detach(), *torch.autograd.grad(o, (q, k, v), do)


def with_gradients(f, tensors, given):
    """f's results, then the gradients of those of its arguments that are floats."""
    tensors = [x.detach().clone() for x in tensors]
    wanted = [x.requires_grad_() for x in tensors if x.is_floating_point()]
    out = f(*tensors)
    grads = torch.autograd.grad(out, wanted, given[: len(out)])
    return *(x.detach() for x in out), *grads
