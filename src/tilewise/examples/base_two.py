import math

import torch

from tilewise.worked_example import K, O, Q, V

q, k, v, o = (torch.tensor(x, dtype=torch.float16) for x in (Q, K, V, O))
s = q @ k.T  # τ log2(e) = 1, so the scores in base 2 are whole numbers
p = torch.exp2(s - s.amax(-1, keepdim=True))
l = p.sum(-1, keepdim=True)
print("float16, base 2, exact:", torch.equal(p @ v / l, o))

tau = torch.tensor(math.log(2), dtype=torch.float16).item()
print(f"float16, base e: e^(2 tau) = {math.exp(2 * tau):.4f}, not 4")
