import torch

from tilewise.flash2 import flash2_forward

print((0.1 + 0.2) + 0.3 == 0.1 + (0.2 + 0.3))

torch.manual_seed(0)
q, k, v = torch.randn(3, 1, 1, 512, 64)
once, _ = flash2_forward(q, k, v, 64, 64)
again, _ = flash2_forward(q, k, v, 64, 64)
wider, _ = flash2_forward(q, k, v, 64, 128)
print("same tiles: ", torch.equal(once, again))
print("other tiles:", torch.equal(once, wider))
print("but close:  ", (once - wider).abs().max().item() < 1e-6)
