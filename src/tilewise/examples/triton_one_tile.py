import math

import torch
import triton
import triton.language as tl

from tilewise.worked_example import K, Q, V


@triton.jit
def one_tile(Q, K, V, O, n, d, scale, N: tl.constexpr, D: tl.constexpr):
    rows, dims = tl.arange(0, N), tl.arange(0, D)
    offsets = rows[:, None] * d + dims[None, :]  # (N, D)
    inside = (rows[:, None] < n) & (dims[None, :] < d)
    q = tl.load(Q + offsets, inside, 0.0)  # (N, D)
    k = tl.load(K + offsets, inside, 0.0)
    v = tl.load(V + offsets, inside, 0.0)
    s = scale * tl.dot(q, k.T, input_precision="ieee")  # (N, N)
    s = tl.where(rows[None, :] < n, s, float("-inf"))  # no such keys
    p = tl.exp(s - tl.max(s, 1)[:, None])
    l = tl.sum(p, 1)  # (N,)
    o = tl.dot(p, v, input_precision="ieee") / l[:, None]  # (N, D)
    tl.store(O + offsets, o, inside)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v = (torch.tensor(x, dtype=torch.float32, device=device) for x in (Q, K, V))
    o = torch.full_like(q, torch.nan)
    one_tile[(1,)](q, k, v, o, *q.shape, math.log(2), N=16, D=16)
    print("O =", (o.round(decimals=4) + 0).tolist())
