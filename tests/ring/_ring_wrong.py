"""Calls of ring_attention that fit on no rank, or on one rank and not on another."""

import torch

from tilewise.ring.ops import ring_attention


def x(n=4, heads=2, d=8, dtype=torch.float32):
    """One rank's share of queries, keys or values."""
    return torch.zeros(1, heads, n, d, dtype=dtype)


def calls(odd):
    """{what is wrong: (arguments, options)}; odd is 1 on one rank and 0 on others."""
    return {
        "lengths": ([x(4 + 2 * odd)] * 3, {"causal": "zig-zag"}),
        "odd": ([x(3)] * 3, {"causal": "zig-zag"}),
        "heads": ([x(heads=2 + 2 * odd), x(), x()], {}),
        "dtype": ([x(dtype=torch.float64 if odd else torch.float32)] * 3, {}),
        "causal": ([x()] * 3, {"causal": bool(odd) and "zig-zag"}),
        "scale": ([x()] * 3, {"scale": 0.5 + odd}),
        "grad": ([x().requires_grad_(bool(odd))] * 3, {}),
        "own": ([x()[0] if odd else x(), x(), x()], {}),
        "list": ([[1.0], x(), x()], {}),
        "top-left": ([x()] * 3, {"causal": "top-left"}),
        "some order": ([x()] * 3, {"causal": True}),
        "scale of one": ([x()] * 3, {"scale": "1" if odd else None}),
    }


def twice():
    """A gradient of a gradient."""
    q = x().requires_grad_()
    o = ring_attention(q, q, q)
    (grad,) = torch.autograd.grad(o.sum(), q, create_graph=True)
    grad.sum().backward()


def refusals(rank):
    """{what is wrong: the sentence that this rank was told, None if nothing}."""
    todo = {
        name: lambda given=given, more=more: ring_attention(*given, **more)
        for name, (given, more) in calls(int(rank == 1)).items()
    }
    told = {}
    for name, call in (todo | {"twice": twice}).items():
        try:
            call()
            told[name] = None
        except (ValueError, RuntimeError) as error:
            told[name] = f"{type(error).__name__}: {error}"
    return told
