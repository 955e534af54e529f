"""Find the bug: L from a kernel that computes in base 2."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
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


# --8<-- [start:start]
def lse_in_base_two(scores, values):
    """(o, L) of one row with powers of 2 alone: o as ever, L = ln Σ_j e^{x_j}."""
    xs = [LOG2_E * x for x in scores]
    m = max(xs)
    p = [2 ** (x - m) for x in xs]
    l = sum(p)
    o = [sum(a * b for a, b in zip(p, column)) / l for column in zip(*values)]
    return o, m + math.log2(l)
    # --8<-- [end:start]


def maximum_in_base_two(scores, values):
    """ln ℓ beside an m that is still in base 2."""
    xs = [LOG2_E * x for x in scores]
    o, _ = row_in_base_two(scores, values)
    return o, max(xs) + math.log(sum(2 ** (x - max(xs)) for x in xs))


def sum_in_base_two(scores, values):
    """m comes back to base e, log₂ ℓ does not."""
    xs = [LOG2_E * x for x in scores]
    o, _ = row_in_base_two(scores, values)
    return o, max(scores) + math.log2(sum(2 ** (x - max(xs)) for x in xs))


def factor_upside_down(scores, values):
    """Times log₂ e once more, where ln 2 is due."""
    o, lse = row_in_base_two(scores, values)
    return o, lse * LOG2_E * LOG2_E


def scores_not_scaled(scores, values):
    """2^x for e^x: L comes out as log₂ of it, and so does o, flatter than it is."""
    m = max(scores)
    p = [2 ** (x - m) for x in scores]
    l = sum(p)
    o = [sum(a * b for a, b in zip(p, column)) / l for column in zip(*values)]
    return o, m + math.log(l)


SOLUTION, START = row_in_base_two, lse_in_base_two
WRONG = (
    START,
    maximum_in_base_two,
    sum_in_base_two,
    factor_upside_down,
    scores_not_scaled,
)


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
