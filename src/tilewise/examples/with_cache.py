import torch

import tilewise

torch.manual_seed(0)
heads, kv_heads, d, prompt, new = 8, 2, 64, 100, 20
q = torch.randn(1, heads, prompt + new, d)
k, v = (torch.randn(1, kv_heads, prompt + new, d) for _ in range(2))
whole = tilewise.flash_attention(q, k, v, causal=True)

k_cache, v_cache = (torch.zeros(1, kv_heads, 256, d) for _ in range(2))
k_cache[:, :, :prompt], v_cache[:, :, :prompt] = k[:, :, :prompt], v[:, :, :prompt]
outputs = [
    tilewise.flash_attention(
        q[:, :, :prompt], k[:, :, :prompt], v[:, :, :prompt], causal=True
    )
]
for n in range(prompt, prompt + new):
    k_cache[:, :, n], v_cache[:, :, n] = k[:, :, n], v[:, :, n]
    length = torch.tensor([n + 1])  # the new token sees itself, too
    outputs += [tilewise.flash_decode(q[:, :, n : n + 1], k_cache, v_cache, length)]
same = torch.allclose(torch.cat(outputs, 2), whole, atol=1e-5)
print(f"{prompt} tokens at once, {new} one by one: the same output: {same}")
