"""8 query heads share 2 KV heads: the right copies, the wrong ones, the gradients."""

import torch

from tilewise import flash_attention

torch.manual_seed(0)
q = torch.randn(1, 8, 16, 4, dtype=torch.float64)
k, v = torch.randn(2, 1, 2, 16, 4, dtype=torch.float64, requires_grad=True)
shared = flash_attention(q, k, v)  # query head h uses KV head h // 4

copies = [x.repeat_interleave(4, dim=1).detach().requires_grad_() for x in (k, v)]
copied = flash_attention(q, *copies)
repeated = flash_attention(q, k.repeat(1, 4, 1, 1), v.repeat(1, 4, 1, 1))
print("repeat_interleave:", torch.allclose(shared, copied))  # 0 0 0 0 1 1 1 1
print("repeat:", torch.allclose(shared, repeated))  # 0 1 0 1 0 1 0 1

do = torch.randn_like(shared)
two = torch.autograd.grad(shared, (k, v), do)
eight = torch.autograd.grad(copied, copies, do)
for name, own, each in zip(("dK", "dV"), two, eight):
    groups = each.unflatten(1, (2, 4)).sum(2)  # four query heads for each KV head
    print(f"{name} is the sum over its group:", torch.allclose(own, groups))
