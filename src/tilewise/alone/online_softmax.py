"""Softmax in three passes and in two, attention in one, and states that merge.

`online_softmax(xs)` reads a row of scores twice instead of three times, because one
pass finds the maximum m and the sum l at once: when a larger score arrives, the sum so
far is rescaled by one factor. `attention_row(q, keys, values)` carries the weighted
mean along too, so that attention needs a single pass. `merge(a, b)` joins the states of
two parts of a row. Everything is plain Python on lists of numbers.
"""

import math

from tilewise.one_pass import attention_row
from tilewise.softmax import IDENTITY, merge, online_softmax, online_step, safe_softmax


def largest_error(rows: int = 1000) -> float:
    """The largest difference between each way and the one of three passes."""
    worst = 0.0
    for row in range(rows):
        places = range(row % 20 + 1)
        xs = [800 * math.sin(row + j * j) for j in places]
        values = [[math.cos(row * j)] for j in places]
        weights = safe_softmax(xs)
        worst = max(worst, *(abs(a - b) for a, b in zip(weights, online_softmax(xs))))
        exact = sum(p * v[0] for p, v in zip(weights, values))
        found = attention_row([1.0], [[x] for x in xs], values)[0]
        half, parts = row % 7, [IDENTITY, IDENTITY]
        for j, x in enumerate(xs):
            parts[j >= half] = online_step(parts[j >= half], x)
        m, l = merge(*parts)
        total = sum(math.exp(x - m) for x in xs)
        worst = max(worst, abs(found - exact), abs(l - total) / total)
    return worst


if __name__ == "__main__":
    error = largest_error()
    assert error < 1e-12, error
    print(f"1000 rows of scores: the largest difference is {error:.0e}")
