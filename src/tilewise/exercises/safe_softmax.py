"""Softmax that neither overflows nor divides by zero."""

import math

from tilewise.exercises.plain import numbers, row, weights


# --8<-- [start:solution]
def safe_softmax(xs):
    """softmax(x)_i = e^{x_i − m} / ℓ with m = max_j x_j and ℓ = Σ_j e^{x_j − m}.

    xs is a list of at least one number, some may be −∞. A row of −∞ alone gives zeros.
    """
    m = max(xs)
    if m == -math.inf:
        return [0] * len(xs)
    exps = [math.exp(x - m) for x in xs]
    l = sum(exps)
    return [e / l for e in exps]
    # --8<-- [end:solution]


SOLUTION = safe_softmax
WRONG = """
as_written: e^x overflows beyond 709.8, and far below 0 every e^x is 0.
  math.exp(x - m) → math.exp(x)
  sum(exps) → sum(exps) or 1
without_guard: In a row of −∞ alone, x − m is −∞ − (−∞), which is NaN.
  m == -math.inf → False
maximum_at_least_zero: m starts at 0: a row far below 0 has ℓ = 0.
  m = max(xs) → m = max([0] + xs)
  sum(exps) → sum(exps) or 1
minimum_subtracted: x − min: e^x overflows where the scores lie far apart.
  x - m → x - min([y for y in xs if y > -math.inf])
even_where_nothing_is_seen: A row that sees no key gets equal weights.
  [0] * len(xs) → [1 / len(xs)] * len(xs)
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    yield "example", [[0, tau, 2 * tau, tau]], [1 / 9, 2 / 9, 4 / 9, 2 / 9]
    yield "example", [[-tau, -tau, -2 * tau, 0]], [2 / 9, 2 / 9, 1 / 9, 4 / 9]
    source = numbers(1)
    for n in range(1, 13):
        xs = row(source, n)
        yield "random", [xs], weights(xs)
    for shift in (1000, -1000):
        xs = [x + shift for x in row(source, 5)]
        yield "large", [xs], weights(xs)
    yield "large", [[1000, 0, -1000]], [1, 0, 0]
    yield "masked", [[-math.inf, 1, 1, -math.inf]], [0, 0.5, 0.5, 0]
    yield "nothing", [[-math.inf, -math.inf, -math.inf]], [0, 0, 0]
    yield "nothing", [[-math.inf]], [0]
