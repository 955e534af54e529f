import math

import torch

from tilewise.flash1 import flash1_forward

# --8<-- [start:check]
if __name__ == "__main__":
    from tilewise.dropout import keep_factors
    from tilewise.masks import documents, tile_mask, window

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 100, 16, dtype=torch.float64)
    mask = tile_mask(window(100, 100, 30), documents([45, 35]))  # 20 rows see nothing
    dropout = keep_factors(0.2, 7, 2, 4)  # p, seed, (batch, heads)
    rows, cols = torch.arange(100)[:, None], torch.arange(100)
    visible, z = mask(rows, cols), dropout(rows, cols)
    p = torch.softmax((q @ k.mT / 4).masked_fill(~visible, -math.inf), dim=-1)
    exact = (p.masked_fill(~visible, 0) * z) @ v
    for sizes in ((32, 24), (7, 100)):
        o, m, l = flash1_forward(q, k, v, *sizes, mask=mask, dropout=dropout)
        print(
            f"tiles of {sizes}: equal to 1e-12:", bool((o - exact).abs().max() < 1e-12)
        )
# --8<-- [end:check]
