import math

import torch

from tilewise import flash1
from tilewise.masks import tile_mask, window
from tilewise.worked_example import DO, SCALE, K, Q, V

q, k, v, do = (torch.tensor(x, dtype=torch.float64) for x in (Q, K[:2], V[:2], DO))
how = {"block_rows": 2, "block_cols": 1, "scale": SCALE, "causal": True}
o, m, l = flash1.flash1_forward(q, k, v, **how)  # 4 queries, 2 keys, bottom-right
dq, dk, dv = flash1.flash1_backward(q, k, v, o, do, m, l, **how)
lse = m + l.log()
for r in range(4):
    l_r, dq_r = (x[r].div(SCALE).round(decimals=6).add(0).tolist() for x in (lse, dq))
    print(f"row {r + 1}  O {o[r].tolist()}  L/tau {l_r}  dQ/tau {dq_r}")


def nan_rows(weight):
    """Of 64 rows that see themselves and 8 keys before, how many come out as NaN."""
    flash1.weight, guarded = weight, flash1.weight  # put it in place of the guarded one
    q, k, v = torch.randn(3, 64, 8, generator=torch.Generator().manual_seed(0))
    o, _, _ = flash1.flash1_forward(q, k, v, 16, 16, mask=tile_mask(window(64, 64, 8)))
    flash1.weight = guarded
    return o.isnan().any(-1).sum().item()


print("-inf - (-inf) =", -math.inf - (-math.inf))
print("rows of NaN with the guard:", nan_rows(flash1.weight), "of 64")
print("rows of NaN without it:", nan_rows(lambda x, m: torch.exp(x - m)), "of 64")
