"""Two states of one row become one."""

import math

from tilewise.exercises.plain import matrix, numbers, row, state
from tilewise.worked_example import V


# --8<-- [start:solution]
def merge(a, b):
    """The state (m, ℓ, o) of all keys of a and b together.

    m is the largest score, ℓ = Σ e^{x − m}, o the output: the mean of the values with
    weights e^{x − m} / ℓ. Without keys it is (−∞, 0, [0, …, 0]).
    """
    m_a, l_a, o_a = a
    m_b, l_b, o_b = b
    if l_a == 0:
        return b
    if l_b == 0:
        return a
    m = max(m_a, m_b)
    l_a, l_b = math.exp(m_a - m) * l_a, math.exp(m_b - m) * l_b
    l = l_a + l_b
    return m, l, [(l_a * x + l_b * y) / l for x, y in zip(o_a, o_b)]
    # --8<-- [end:solution]


SOLUTION = merge
WRONG = """
without_identity: Two states of no keys: −∞ − (−∞) is NaN.
  l_a == 0 → False
  l_b == 0 → False
means_averaged: o is the plain mean of both, though one has seen more.
  (l_a * x + l_b * y) / l → (x + y) / 2
means_taken_for_sums: o is divided by its ℓ already; it is used as if it were not.
  l_a * x + l_b * y → math.exp(m_a - m) * x + math.exp(m_b - m) * y
units_forgotten: ℓ_a + ℓ_b, each in the unit of its own maximum.
  math.exp(m_a - m) * l_a → l_a
  math.exp(m_b - m) * l_b → l_b
larger_one_first: Only b is brought to another unit: right while a's maximum is larger.
  m = max(m_a, m_b) → m = m_a
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    same = (0, 1, [4, 2]), (0, 1, [0, 6])
    yield "equal", same, (0, 2, [2, 4])
    a, b = (-tau, 2, [9 / 2, 9]), (0, 5 / 4, [27 / 5, 0])
    yield "example", [a, b], (0, 9 / 4, [5, 4])
    yield "example", [b, a], (0, 9 / 4, [5, 4])
    source = numbers(4)
    for n in range(2, 10):
        xs, vs, cut = row(source, n), matrix(source, n, 3), 1 + n // 3
        parts = state(xs[:cut], vs[:cut]), state(xs[cut:], vs[cut:])
        yield "random", parts, state(xs, vs)
    none = (-math.inf, 0, [0, 0])
    yield "identity", [none, b], b
    yield "identity", [b, none], b
    yield "nothing", [none, none], none
    xs = [1000, -1000, 1001, 999]
    yield "large", [state(xs[:2], V[:2]), state(xs[2:], V[2:])], state(xs, V)
    yield "large", [state(xs[1:2], V[1:2]), state(xs[:1], V[:1])], (1000, 1, V[0])
