"""The backward pass of a row all of whose scores have −1e9 added, in float32."""

import torch
from torch.nn.functional import scaled_dot_product_attention

import tilewise

torch.manual_seed(0)
q, k, v = torch.randn(3, 1, 1, 8, 4, requires_grad=True)
mask = torch.zeros(8, 8)
mask[0] = -1e9  # row 0 should see nothing

scores = 0.5 * q @ k.mT + mask
p = torch.exp(scores - scores.logsumexp(-1, keepdim=True))  # as a backward pass does
print("row sums of exp(S - L):", [round(x) for x in p.sum(-1).flatten().tolist()])

do = torch.zeros(1, 1, 8, 4)
do[0, 0, 0] = 1  # only row 0 has a gradient
ours = tilewise.scaled_dot_product_attention
for name, attention in (("PyTorch", scaled_dot_product_attention), ("ours", ours)):
    (dv,) = torch.autograd.grad(attention(q, k, v, attn_mask=mask), v, do)
    print(f"{name}: dV of a value is {dv[0, 0, 0, 0]:.3f}, and 1/8 would be the mean")
