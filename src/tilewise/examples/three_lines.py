import torch

torch.manual_seed(0)
q, k, v = torch.randn(3, 1024, 64)  # one head: N = 1024, d = 64
scale = q.shape[-1] ** -0.5

s = scale * (q @ k.mT)  # (N, N)
p = torch.softmax(s, dim=-1)  # (N, N)
o = p @ v  # (N, d)
print(f"S and P have {s.numel():,} numbers each, O has {o.numel():,}")
