import os

os.environ["TRITON_INTERPRET"] = "0"  # compile, do not interpret

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from tilewise.examples.triton_softmax import softmax_rows

TYPES = {"S": "*fp16", "P": "*fp16", "s_row": "i32", "s_col": "constexpr"}
TYPES |= {"p_row": "i32", "n": "i32", "COLS": "constexpr"}
CONSTANTS = {"s_col": 1, "COLS": 1024}


def ptx(*by_16):
    """softmax_rows for an H100 or H200; arguments by_16 are multiples of 16."""
    alignment = {(i,): [["tt.divisibility", 16]] for i in by_16}
    source = ASTSource(softmax_rows, TYPES, CONSTANTS, alignment)
    target = GPUTarget("cuda", 90, 32)
    return triton.compile(source, target, {"num_warps": 4}).asm["ptx"]


if __name__ == "__main__":
    even, odd = ptx(0, 1, 2, 4, 5), ptx(0, 1, 2, 4)
    print("in one thread    n % 16 = 0   any n")
    for what in ("ld.global", "st.global", "ex2.approx", "shfl.sync", "bar.sync"):
        print(f"{what:18} {even.count(what):8} {odd.count(what):7}")
