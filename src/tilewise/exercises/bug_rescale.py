"""Find the bug: the maximum moves."""

import math

from tilewise.exercises.plain import matrix, numbers, output, row
from tilewise.worked_example import V


# --8<-- [start:solution]
def attend(scores, values):
    """o = Σ_j softmax(scores)_j v_j of one row, key by key."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        m_new = max(m, x)
        alpha, p = math.exp(m - m_new), math.exp(x - m_new)
        l = alpha * l + p
        o = [alpha * a + p * b for a, b in zip(o, v)]
        m = m_new
    return [a / l for a in o]
    # --8<-- [end:solution]


SOLUTION = attend
START = "output_not_rescaled"
WRONG = """
output_not_rescaled: o stays in the unit of the maximum before.
  alpha * a + p * b → a + p * b
sum_not_rescaled_either: Both stay in their old unit: V = 1 comes out right.
  alpha * a → a
  alpha * l → l
divided_by_alpha: The factor upside down.
  alpha * a → a / (alpha or 1)
without_a_maximum: No maximum, no bug: until e^x overflows.
  max(m, x) → 0
new_key_rescaled_too: α on the sum of both.
  alpha * a + p * b → (alpha or 1) * (a + p * b)
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    yield "falling", [[tau, 0, 0, -tau], V], [1, 6]
    yield "ones", [[0, tau, 2 * tau, tau], [[1]] * 4], [1]
    yield "rising", [[0, tau, 2 * tau, tau], V], [0, 3]
    yield "rising", [[-tau, -tau, -2 * tau, 0], V], [5, 4]
    source = numbers(11)
    for n in range(1, 9):
        xs, vs = row(source, n), matrix(source, n, 2)
        yield "random", [xs, vs], output(xs, vs)
    yield (
        "large",
        [[999, 1000, 1000], [[8], [2], [6]]],
        output([0, 1, 1], [[8], [2], [6]]),
    )
