"""Find the bug: L from a kernel that computes in base 2."""

import math

from tilewise.exercises.plain import log_sum, matrix, numbers, output, row
from tilewise.worked_example import V

# --8<-- [start:solution]
LOG2_E = 1 / math.log(2)  # e^x = 2^{x · log₂ e}


def row_in_base_two(scores, values):
    """(o, L) of one row with powers of 2 alone: o as ever, L = ln Σ_j e^{x_j}."""
    xs = [LOG2_E * x for x in scores]
    m = max(xs)
    p = [2 ** (x - m) for x in xs]
    l = sum(p)
    o = [sum(a * b for a, b in zip(p, column)) / l for column in zip(*values)]
    return o, (m + math.log2(l)) / LOG2_E
    # --8<-- [end:solution]


SOLUTION = row_in_base_two
START = "lse_in_base_two"
WRONG = """
lse_in_base_two: L stays in base 2.
  (m + math.log2(l)) / LOG2_E → m + math.log2(l)
maximum_in_base_two: ln ℓ beside an m that is still in base 2.
  (m + math.log2(l)) / LOG2_E → m + math.log(l)
sum_in_base_two: m comes back to base e, log₂ ℓ does not.
  (m + math.log2(l)) / LOG2_E → m / LOG2_E + math.log2(l)
factor_upside_down: Times log₂ e once more, where ln 2 is due.
  / LOG2_E → * LOG2_E
scores_not_scaled: 2^x for e^x: L comes out as log₂ of it, and so does o, flatter.
  LOG2_E * x for → x for
  (m + math.log2(l)) / LOG2_E → m + math.log(l)
"""


def cases():
    ln, tau = math.log, math.log(2)  # e^{τ x} = 2^x
    yield "one", [[0], [[7, 1]]], ([7, 1], 0)
    yield "example", [[0, tau, 2 * tau, tau], V], ([0, 3], ln(9))
    yield "example", [[-tau, -tau, -2 * tau, 0], V], ([5, 4], ln(9 / 4))
    yield "shifted", [[3], [[7, 1]]], ([7, 1], 3)
    yield "equal", [[0, 0], [[7, 1], [1, 7]]], ([4, 4], ln(2))
    source = numbers(14)
    for n in range(2, 8):
        s, v = row(source, n), matrix(source, n, 2)
        yield "random", [s, v], (output(s, v), log_sum(s))
    yield (
        "large",
        [[1000, 999], [[2], [4]]],
        (output([1, 0], [[2], [4]]), 1000 + ln(1 + math.exp(-1))),
    )
