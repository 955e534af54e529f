import torch

from tilewise.standard import standard_backward, standard_forward
from tilewise.worked_example import DO, SCALE, K, Q, V

q, k, v, do = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V, DO))
_, p = standard_forward(q, k, v, scale=SCALE)
dq, dk, dv = standard_backward(q, k, v, p, do, scale=SCALE)

for name, x in (("9 dQ/tau", dq / SCALE), ("9 dK/tau", dk / SCALE), ("9 dV", dv)):
    print(f"{name:8}", (9 * x).round(decimals=9).int().tolist())
