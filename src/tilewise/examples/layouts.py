"""Two orders of the axes: what a transpose costs, and what a wrong order gives."""

import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise import flash_attention

torch.manual_seed(0)
x = torch.randn(2, 128, 8 * 64)  # what comes into a layer: batch 2, N = 128
q = x.view(2, 128, 8, 64)  # as flash-attn wants it: (batch, N, heads, d)
turned = q.transpose(1, 2)  # as PyTorch and this book want it: (batch, heads, N, d)
print("same memory:", turned.data_ptr() == q.data_ptr(), turned.stride())

o = flash_attention(turned, turned, turned)
pytorch = scaled_dot_product_attention(turned, turned, turned)
print("as PyTorch's:", torch.allclose(o, pytorch, atol=1e-6))

wrong = scaled_dot_product_attention(q, q, q).transpose(1, 2)  # 128 heads, N = 8
print("shapes agree:", wrong.shape == o.shape)
print("numbers agree:", torch.allclose(wrong, o, atol=1e-2))
