"""Random input on the card, and a function with its gradients."""

import contextlib

import torch

from ..kernels._backward import poisoned


def draw(case, seed=0):
    """q, k, v, do and dlse; odd seeds: (batch, N, heads, d) in memory."""
    dtype, batch, heads, key_heads, n_q, n_k, d, *_ = case
    torch.manual_seed(seed)
    made = []
    for h, n in ((heads, n_q), (key_heads, n_k), (key_heads, n_k), (heads, n_q)):
        x = torch.randn(batch, n, h, d, device="cuda").to(dtype).transpose(1, 2)
        made.append(x if seed % 2 else x.contiguous())
    return *made, torch.randn(batch, heads, n_q, device="cuda")


@contextlib.contextmanager
def dirty():
    """What torch.empty finds is likely NaN: it is what was freed before."""
    sizes = [2**k for k in range(7, 25) for _ in range(4)]
    for x in [torch.full((n,), torch.nan, device="cuda") for n in sizes]:
        del x
    yield


def run(f, tensors, given, deterministic=False):
    """f's results and gradients, with NaN in what no program writes."""
    tensors = [x.detach().requires_grad_() for x in tensors]
    with poisoned() if deterministic else dirty():
        out = f(*tensors)
        return *out, *torch.autograd.grad(out, tensors, given)
