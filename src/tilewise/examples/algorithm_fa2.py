import torch

from tilewise.flash2 import flash2_forward

# --8<-- [start:check]
if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 100, 16, dtype=torch.float64)
    s = q @ k.mT / 4
    o, lse = flash2_forward(q, k, v, block_rows=32, block_cols=24)
    error = (o - torch.softmax(s, dim=-1) @ v).abs().max()
    print("o equal to standard attention to 1e-12:", bool(error < 1e-12))
    error = (lse - torch.logsumexp(s, dim=-1)).abs().max()
    print("L equal to logsumexp to 1e-12:", bool(error < 1e-12))
# --8<-- [end:check]
