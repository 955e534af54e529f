import torch

from tilewise.merge import split_forward
from tilewise.worked_example import SCALE, K, Q, V

q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (Q[:1], K, V))
for splits in (1, 2, 4):  # row 1 alone, its four keys in parts
    o, lse = split_forward(q, k, v, splits, 1, 2, scale=SCALE)
    print(splits, o.numpy().round(12).tolist(), f"e^L = {lse.exp().item():.4g}")

sms, heads, kv_heads, d, n = 132, 32, 8, 128, 131_072  # an H200, a cache of 128k keys
cache = 2 * kv_heads * n * d * 2  # bytes of K and V in bf16
print(f"\n{cache / 1e6:.0f} MB, {cache / 4.8e6:.0f} µs at the 4.8 TB/s of the HBM")
for splits in (1, 8, 16, 32):
    programs = kv_heads * splits  # each reads one head's part for all its query heads
    partial = splits * heads * (d + 1) * 4  # o and L of each part, in fp32
    busy = min(programs, sms)
    print(f"{splits:2} parts: {busy:3} of {sms} SMs, {partial / 1e6:.3f} MB to merge")
