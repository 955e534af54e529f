"""A row the way of FlashAttention-2: one division, at the end, and L."""

import math

from tilewise.exercises.plain import log_sum, matrix, numbers, output, row

# --8<-- [start:weight]
from tilewise.softmax import weight  # weight(x, m) = e^{x − m}, and 0 for x = −∞

# --8<-- [end:weight]


# --8<-- [start:solution]
def flash2_row(tiles):
    """(o, L) of a query row from its tiles, with a single division at the end.

    tiles is a list of (s, v): some scores, maybe −∞, and as many values, lists of d
    numbers. o = Σ softmax(S)_j v_j and L = ln Σ e^{S_j} over the keys of all tiles. A
    row that sees no key gives zeros and −∞. There is at least one tile.
    """
    m, l, acc = -math.inf, 0, [0] * len(tiles[0][1][0])
    for s, v in tiles:
        m_new = max([m] + s)
        alpha, p = weight(m, m_new), [weight(x, m_new) for x in s]
        l = alpha * l + sum(p)
        for c in range(len(acc)):
            acc[c] = alpha * acc[c] + sum(x * y[c] for x, y in zip(p, v))
        m = m_new
    if l == 0:
        return acc, -math.inf
    return [x / l for x in acc], m + math.log(l)
    # --8<-- [end:solution]


SOLUTION = flash2_row
WRONG = """
output_not_rescaled: o stays in the unit of the maximum before.
  alpha * acc[c] → acc[c]
inverse_factor: o is divided by α, as line 10 of Algorithm 1 was once printed.
  alpha * acc[c] → acc[c] / (alpha or 1)
divided_twice: A division in every tile, as in FlashAttention-1, and one at the end.
  l = alpha * l + sum(p) → old, l = alpha * l, alpha * l + sum(p)
  alpha * acc[c] + → old / (l or 1) * acc[c] + 1 / (l or 1) *
sum_not_logged: L = m + ℓ.
  m + math.log(l) → m + l
maximum_forgotten: L = ln ℓ, in the unit of the row's own maximum.
  m + math.log(l) → math.log(l)
zero_for_nothing: A row that sees no key has L = 0: as if it had seen a key of score 0.
  return acc, -math.inf → return acc, 0
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    tiles = [([0, tau], [[0, 9], [9, 9]]), ([2 * tau, tau], [[-9, 0], [9, 0]])]
    yield "one", [tiles[:1]], ([6, 9], math.log(3))
    yield "example", [tiles], ([0, 3], math.log(9))
    source = numbers(10)
    for sizes in ((2, 2), (3, 3, 1), (1, 1, 1, 1), (4, 2)):
        tiles = [(row(source, n), matrix(source, n, 3)) for n in sizes]
        s, v = joined(tiles)
        yield "random", [tiles], (output(s, v), log_sum(s))
    tiles = [([1000, -1000], [[1], [2]]), ([1001], [[5]])]
    yield (
        "large",
        [tiles],
        ([1 + 4 / (1 + math.exp(-1))], 1001 + math.log(1 + math.exp(-1))),
    )
    no = -math.inf
    tiles = [
        ([no, no], [[1, 2], [3, 4]]),
        ([no, 3], [[5, 6], [7, 8]]),
        ([no], [[9, 9]]),
    ]
    yield "masked", [tiles], ([7, 8], 3)
    yield "nothing", [tiles[:1]], ([0, 0], no)


def joined(tiles):
    """All scores, all values."""
    return sum([s for s, _ in tiles], []), sum([v for _, v in tiles], [])
