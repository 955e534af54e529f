import math

import torch

for exact in (10 + 1 / 3, 1000 + 1 / 3):
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        stored = torch.tensor(exact, dtype=torch.float64).to(dtype).item()
        off = abs(math.expm1(exact - stored))  # e^(S - L), relative to its true value
        print(f"L = {exact:7.2f} in {str(dtype):14}  P is off by {off:.0e}")
