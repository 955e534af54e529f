"""The gradient of L: a loss on the log-sum-exps alone, beside PyTorch's logsumexp."""

import torch

from tilewise import flash_attention

torch.manual_seed(0)
q, k, v = torch.randn(3, 1, 2, 5, 4, dtype=torch.float64, requires_grad=True)
_, lse = flash_attention(q, k, v, return_lse=True)  # (batch, heads, N)
dq, dk = torch.autograd.grad(lse.square().sum(), (q, k))

scores = 4**-0.5 * q @ k.mT
weights = torch.softmax(scores, -1)  # ∂L/∂S, row by row
ds = 2 * scores.logsumexp(-1, keepdim=True) * weights  # the loss is ΣL²
print("dQ is as derived:", torch.allclose(dq, 4**-0.5 * ds @ k))
print("dK is as derived:", torch.allclose(dk, 4**-0.5 * ds.mT @ q))
