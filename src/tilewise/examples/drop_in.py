import torch
from torch.nn.functional import scaled_dot_product_attention

import tilewise

torch.manual_seed(0)
q = torch.randn(2, 8, 300, 64, requires_grad=True)  # (batch, heads, N, d)
k = torch.randn(2, 2, 300, 64, requires_grad=True)  # four query heads share a key head
v = torch.randn(2, 2, 300, 64, requires_grad=True)
do = torch.randn(2, 8, 300, 64)

ours = tilewise.flash_attention(q, k, v, causal=True)
theirs = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
print("the same output:", torch.allclose(ours, theirs, atol=1e-5))

for name, a, b in zip(
    "QKV",
    torch.autograd.grad(ours, (q, k, v), do),
    torch.autograd.grad(theirs, (q, k, v), do),
):
    print(f"the same d{name}:", torch.allclose(a, b, atol=1e-4))

layer = tilewise.FlashAttention(64, num_heads=8, num_kv_heads=2, causal=True)
x = torch.randn(2, 300, 64)  # (batch, N, embed_dim)
print("a layer keeps the shape:", layer(x).shape == x.shape)
