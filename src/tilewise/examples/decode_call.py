import torch

import tilewise

torch.manual_seed(0)
heads, kv_heads, d, room = 8, 2, 64, 256
k_cache, v_cache = (torch.randn(3, kv_heads, room, d) for _ in range(2))
lengths = torch.tensor([200, 7, 0])  # keys of each sequence, new tokens included
q = torch.randn(3, heads, 2, d)  # the last two tokens of each
o, lse = tilewise.flash_decode(q, k_cache, v_cache, lengths, splits=4, return_lse=True)
for b, n in enumerate(lengths[:2].tolist()):
    k, v = (x[b : b + 1, :, :n] for x in (k_cache, v_cache))
    true = tilewise.flash_attention(q[b : b + 1], k, v, causal=True)
    print(f"{n:3} keys: equal to 1e-6: {torch.allclose(o[b], true[0], atol=1e-6)}")
print(f"  0 keys: o = {o[2].unique().tolist()}, L = {lse[2].unique().tolist()}")
