"""Gradients in float32, with products of float32, TF32 and bf16 operands."""

import torch

from tilewise.rounding import Products

torch.manual_seed(1)
q, k, v, do = torch.randn(4, 512, 64, dtype=torch.float64)


def passes(q, k, v, do):
    """O, dQ, dK, dV of standard attention, with products that can be rounded."""
    p = torch.softmax(q @ k.mT / 8, -1)
    o = p @ v
    dp = do @ v.mT
    ds = p * (dp - (do * o).sum(-1, keepdim=True)) / 8
    return {"O": o, "dQ": ds @ k, "dK": ds.mT @ q, "dV": p.mT @ do}


exact = passes(q, k, v, do)
for name in ("fp32", "tf32", "bf16"):
    with Products(name):
        results = passes(*(x.float() for x in (q, k, v, do)))
    errors = [(results[x] - exact[x]).norm() / exact[x].norm() for x in exact]
    print(name, *(f"{x}: {e:.0e}" for x, e in zip(exact, errors)))
