"""One query's output in one pass over keys and values."""

import math

from tilewise.exercises.plain import matrix, numbers, output, row
from tilewise.worked_example import SCALE, K, O, Q, V


# --8<-- [start:solution]
def attention_row(q, keys, values, scale):
    """o = Σ_j softmax(scale · q·k)_j v_j, a list as long as a value.

    q is a list of d numbers. keys and values are iterators over lists: each key and
    each value comes once. There is at least one.
    """
    m, l, o = -math.inf, 0, None
    for k, v in zip(keys, values):
        s = scale * sum(x * y for x, y in zip(q, k))
        m_new = max(m, s)
        old, new = math.exp(m - m_new), math.exp(s - m_new)
        o = [old * x + new * y for x, y in zip(o or [0] * len(v), v)]
        m, l = m_new, old * l + new
    return [x / l for x in o]
    # --8<-- [end:solution]


SOLUTION = attention_row
WRONG = """
two_passes: The keys are at their end when the second loop wants them.
  -math.inf → max([scale * sum(x * y for x, y in zip(q, k)) for k in keys])
  in o] → in o or q]
output_not_rescaled: ℓ changes its unit when the maximum moves, o does not.
  old * x + new * y → x + new * y
maximum_left_out: e^s itself overflows, or is 0 for all keys.
  m_new = max(m, s) → m_new = 0
as_wide_as_the_key: The output has d numbers, where a value may have another number.
  [0] * len(v) → [0] * len(q)
scale_left_out: The scores are q·k.
  s = scale * sum → s = sum
"""
ONCE = (1, 2)


def cases():
    yield "one", [[1, 2], [[3, 4]], [[5, 6]], 0.5], [5, 6]
    for q, o in zip(Q, O):
        yield "example", [q, K, V, SCALE], o
    source = numbers(3)
    for n in range(1, 9):
        q, ks, vs = row(source, 2), matrix(source, n, 2), matrix(source, n, 2)
        yield "random", [q, ks, vs, 0.5], output(scores(q, ks, 0.5), vs)
    for d, d_v in ((2, 5), (4, 1)):
        q, ks, vs = row(source, d), matrix(source, 4, d), matrix(source, 4, d_v)
        yield "wide", [q, ks, vs, 0.5], output(scores(q, ks, 0.5), vs)
    yield "large", [[100], [[9], [10], [10]], [[1], [2], [6]], 1], [4]
    yield "large", [[100], [[-10], [-10], [-20]], [[1], [2], [6]], 1], [1.5]


def scores(q, ks, scale):
    return [scale * sum(x * y for x, y in zip(q, k)) for k in ks]
