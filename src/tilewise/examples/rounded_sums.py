import math

import torch

torch.manual_seed(0)
n, u = 4096, 2.0**-8
q = torch.randn(64, 64).bfloat16().double()
k, v = torch.randn(2, n, 64).bfloat16().double()


def half(x):
    return x.bfloat16().double()


def same(x):
    return x


def attention(tile, sums):
    """Attention by tiles in float64; what is kept between tiles goes through `sums`."""
    o, l = torch.zeros(64, 64).double(), torch.zeros(64, 1).double()
    m = torch.full((64, 1), -math.inf).double()
    for k_j, v_j in zip(k.split(tile), v.split(tile)):
        s = q @ k_j.T / 8
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
        l = sums(alpha * l + p.sum(-1, keepdim=True))
        o = sums(alpha * o + p @ v_j)
        m = m_new
    return o / l


exact = attention(n, same)
for tile in (256, 64, 16):
    error = (half(attention(tile, half)) - exact).norm() / exact.norm()
    print(f"sums in bf16, tiles of {tile:3} keys: error {error / u:.1f} u")
