import torch

from tilewise.attention.ops import flash_attention
from tilewise.merge import merge_into
from tilewise.worked_example import SCALE, K, Q, V

shares = [  # (queries, keys, values) of rank 0 and rank 1: two positions each
    torch.tensor([Q[at], K[at], V[at]], dtype=torch.float64)[:, None, None]
    for at in (slice(0, 2), slice(2, 4))
]
for rank, (q, k, v) in enumerate(shares):
    o, lse = flash_attention(q, k, v, scale=SCALE, return_lse=True)
    print(f"rank {rank} with its own keys:  o", o.numpy().round(3).tolist()[0][0])
    _, k, v = shares[1 - rank]  # what comes round the ring
    part, lse_part = flash_attention(q, k, v, scale=SCALE, return_lse=True)
    print("       with those that came:", part.numpy().round(3).tolist()[0][0])
    for row, (a, b) in enumerate(zip(lse.exp().flatten(), lse_part.exp().flatten())):
        print(f"       row {2 * rank + row + 1}: e^L {a:.4g} and {b:.4g}", end="")
        print(f", so w = {b:.4g} / {a + b:.4g}")
    merge_into(o, lse, part, lse_part)
    print("       merged:             ", (o.numpy().round(12) + 0).tolist()[0][0])
