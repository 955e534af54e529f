import math

import torch

from tilewise.worked_example import V

v = torch.tensor(V, dtype=torch.float32)
for fill in (-math.inf, -1e9):
    p = torch.softmax(torch.full((4,), fill), dim=-1)  # a row with every key masked
    print(f"four scores of {fill:g}: P = {p.tolist()}")
    print("  O =", (p @ v).tolist())

for dtype in (torch.float32, torch.bfloat16, torch.float16):
    print(f"-1e9 in {str(dtype):15}", torch.tensor(-1e9).to(dtype).item())
try:
    torch.zeros(4, dtype=torch.float16).masked_fill(torch.ones(4) > 0, -1e9)
except RuntimeError as error:
    print("masked_fill in float16:", type(error).__name__)
