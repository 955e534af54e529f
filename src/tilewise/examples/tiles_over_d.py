"""A head dimension of 512 in slices of 128: scores add up, outputs stay apart."""

import torch

torch.manual_seed(0)
q, k, v = torch.randn(3, 256, 512, dtype=torch.float64)
exact = torch.softmax(q @ k.T * 512**-0.5, -1) @ v

slices = [slice(i, i + 128) for i in range(0, 512, 128)]
m, l = torch.full((256, 1), -torch.inf).double(), torch.zeros(256, 1).double()
o = torch.zeros(256, 512).double()
for j in range(0, 256, 64):  # tiles of 64 keys
    s = sum(q[:, x] @ k[j : j + 64, x].T for x in slices) * 512**-0.5
    new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = torch.exp(s - new), torch.exp(m - new)  # only when S is complete
    for x in slices:  # each needs P and its own columns of V, and no other slice
        o[:, x] = alpha * o[:, x] + p @ v[j : j + 64, x]
    m, l = new, alpha * l + p.sum(-1, keepdim=True)

print("equal:", torch.allclose(o / l, exact))
print("softmax slice by slice:", end=" ")
parts = [torch.softmax(q[:, x] @ k[:, x].T * 512**-0.5, -1) for x in slices]
print(torch.allclose(sum(parts) / 4 @ v, exact))
