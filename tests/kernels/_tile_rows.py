"""Which instruction multiplies a tile of few rows on Hopper: run by test_primer.py.

A process of its own, without the interpreter. Prints JSON, rows → PTX instruction.
"""

import json
import os
import re

os.environ["TRITON_INTERPRET"] = "0"

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def product(A, B, C, M: tl.constexpr):
    rows, cols = tl.arange(0, M)[:, None], tl.arange(0, 64)
    a, b = tl.load(A + rows * 64 + cols), tl.load(B + cols[:, None] * 64 + cols)
    tl.store(C + rows * 64 + cols, tl.dot(a, b))


def instruction(rows):
    types = {"A": "*fp16", "B": "*fp16", "C": "*fp32", "M": "constexpr"}
    source = ASTSource(product, types, {"M": rows})
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32))
    return sorted(set(re.findall(r"\b(?:wg)?mma\.(?:mma_async|sync)", made.asm["ptx"])))


if __name__ == "__main__":
    print(json.dumps({rows: instruction(rows) for rows in (16, 32, 64, 128)}))
