from functools import partial

import torch

from tilewise import flash_attention

torch.manual_seed(0)
random = partial(torch.randn, dtype=torch.float64)
n, heads, d, d_rope, latent = 100, 8, 16, 8, 64  # DeepSeek-V3: 128 heads, 128, 64, 512
c, k_rope = random(1, 1, n, latent), random(1, 1, n, d_rope)  # all that is cached
q, q_rope = random(1, heads, n, d), random(1, heads, n, d_rope)
w_k, w_v = random(2, heads, latent, d) / latent**0.5

# Expanded: each head has keys and values of its own.
k = torch.cat([c @ w_k, k_rope.expand(1, heads, n, d_rope)], -1)
v = c @ w_v
expanded = flash_attention(torch.cat([q, q_rope], -1), k, v, causal=True)

# Absorbed: all heads share [c, k_rope] as keys and c as values.
q_latent, k_latent = torch.cat([q @ w_k.mT, q_rope], -1), torch.cat([c, k_rope], -1)
scale = (d + d_rope) ** -0.5  # that of the heads, as above
absorbed = flash_attention(q_latent, k_latent, c, causal=True, scale=scale) @ w_v

print(f"expanded: {k.numel() + v.numel()} numbers of K and V")
print(f"absorbed: {k_latent.numel()} numbers")
print(f"the outputs differ by {(expanded - absorbed).abs().max():.0e}")
wrong = flash_attention(q_latent, k_latent, c, causal=True) @ w_v
print(f"with 1 / √{latent + d_rope} by {(expanded - wrong).abs().max():.1f}")
