import math

import torch

from tilewise.flash1 import flash1_backward

# --8<-- [start:check]
if __name__ == "__main__":
    torch.manual_seed(0)
    shape = (2, 4, 100, 16)  # batch, heads, N, d
    q, k, v, do = torch.randn(4, *shape, dtype=torch.float64)
    inputs = [x.requires_grad_() for x in (q, k, v)]
    s = q @ k.mT / math.sqrt(16)
    o = torch.softmax(s, dim=-1) @ v
    exact = torch.autograd.grad(o, inputs, do)

    m = s.amax(-1)  # what the forward pass saved
    l = torch.exp(s - m[..., None]).sum(-1)
    tiled = flash1_backward(q, k, v, o, do, m, l, block_rows=32, block_cols=24)
    error = max((a - b).abs().max() for a, b in zip(tiled, exact))
    print("equal to autograd to 1e-12:", bool(error < 1e-12))
# --8<-- [end:check]
