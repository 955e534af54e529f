"""The running example: N = 4, d = 2, tiles of two by two, and every number exact.

The scale is τ = ln 2, so e^S is a power of two and every weight is a small fraction:
P = 1/9 · [[2,2,1,4],[4,2,2,1],[1,2,4,2],[2,2,4,1]], ℓ = 9/4 in every row.
"""

import fractions

# --8<-- [start:example]
import math

Q = [[-1, -1], [1, 0], [0, 1], [1, 1]]
K = [[1, 0], [0, 1], [0, 2], [-1, 1]]
V = [[0, 9], [9, 9], [-9, 0], [9, 0]]
SCALE = math.log(2)  # τ: e^{τ x} = 2^x
# --8<-- [end:example]

DO = [[1, 0], [0, 1], [1, 1], [1, 0]]  # the gradient that reaches O, for the backward
O = [[5, 4], [1, 6], [0, 3], [-1, 4]]  # the result
BLOCK_ROWS = BLOCK_COLS = 2


def two_to(x: int) -> fractions.Fraction:
    """2^x as a fraction, which is e^{τx} for τ = ln 2."""
    return fractions.Fraction(2) ** x


# For tilewise.trace: S and m come out in units of τ, and every number is a fraction.
EXACT: dict = {"scale": 1, "exp": two_to}
