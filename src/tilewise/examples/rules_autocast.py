import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise import FlashAttention, flash_attention

torch.manual_seed(0)
x = torch.randn(1, 32, 64)
q = torch.randn(1, 4, 32, 16)
turn = torch.ones(32, 16).cos()  # a rotary table, as most are kept: in float32

with torch.autocast("cpu", torch.bfloat16):
    print("q from a linear layer:       ", torch.nn.Linear(64, 64)(x).dtype)
    print("the same times the table:    ", (q.bfloat16() * turn).dtype)
    print("scaled_dot_product_attention:", scaled_dot_product_attention(q, q, q).dtype)
    print("flash_attention:             ", flash_attention(q, q, q).dtype)
    print("the module FlashAttention:   ", FlashAttention(64, num_heads=4)(x).dtype)
    try:
        flash_attention(q, q, q.bfloat16())
    except ValueError as error:
        print(error)
