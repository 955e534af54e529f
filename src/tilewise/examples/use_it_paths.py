from itertools import groupby, product

import torch

from tilewise.attention.dispatch import rungs

CARDS = {"A100": (8, 0), "RTX 4090": (8, 9), "H100, H200": (9, 0), "B200": (10, 0)}
DTYPES = torch.bfloat16, torch.float32


def title(case):
    """One line of the table, but for d."""
    name, dtype, d = case
    names = rungs(CARDS[name], dtype, d) or ("by tiles in PyTorch",)
    return f"{name:10}  {str(dtype)[6:]:8}  {' '.join(names)}"


for line, cases in groupby(product(CARDS, DTYPES, range(8, 257, 8)), title):
    print(f"{line}, d to {max(d for _, _, d in cases)}")
