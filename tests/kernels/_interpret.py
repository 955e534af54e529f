"""Run forward rungs in Triton's interpreter: python -m tests.kernels._interpret RUNG ….

A process of its own, since TRITON_INTERPRET is read where triton is imported. Prints
JSON: what was wrong with each, an empty list if nothing was. The interpreter's tl.dot
takes the bits of bf16 for numbers, so bf16 is left to the card.
"""

import json
import os
import sys

os.environ["TRITON_INTERPRET"] = "1"

import torch

from tests.kernels._cases import CASES, faults
from tests.kernels._patched_once import patched_once

torch.set_num_threads(1)
torch.set_deterministic_debug_mode("error")  # and so torch.empty gives NaN

if __name__ == "__main__":
    patched_once()
    wrong = {name: [] for name in sys.argv[1:]}
    for name in wrong:
        for seed, (title, case) in enumerate(CASES.items()):
            found = [*faults(name, case, seed, block_rows=32, block_cols=16)]
            wrong[name] += [f"{title}: {text}" for text in found]
    print(json.dumps(wrong))
