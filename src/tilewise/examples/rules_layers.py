import torch

from tilewise import flash_attention
from tilewise.flash2 import flash2_forward
from tilewise.standard import standard_forward


def standard(q, k, v):
    return standard_forward(q, k, v)[0]


def stack(layers, x):
    """Layers of attention, each with its input added to its output."""
    for attention in layers:
        x = x + attention(x, x, x)
    return x


def error(x, exact):
    return (x - exact).norm() / exact.norm()


torch.manual_seed(0)
x = torch.randn(1, 4, 300, 64)
exact = stack([standard] * 4, x.double())
for name, two in (
    ("standard", (standard, standard)),
    ("flash", (flash_attention, flash_attention)),
    ("in turn", (standard, flash_attention)),
):
    small = error(stack(two * 2, x), exact) < 1e-6
    print(f"four layers in float32, {name:8}: error below 1e-6: {small}")

q, k, v = torch.randn(3, 300, 64, dtype=torch.float64)
exact = standard(q, k, v)
for tile in ((64, 64), (192, 176), (48, 80), (7, 13)):
    small = error(flash2_forward(q, k, v, *tile)[0], exact) < 1e-14
    print(f"tiles of {tile[0]:3} × {tile[1]:3} in float64: error below 1e-14: {small}")

view = torch.randn(2, 300, 4, 64).transpose(1, 2)  # as a linear layer leaves it
copy = view.contiguous()
same = torch.equal(flash_attention(view, view, view), flash_attention(copy, copy, copy))
print(f"a view with other strides, the same bits as its copy: {same}")
