"""A row whose head has an attention sink: the fold begins with one more key."""

import math

from tilewise.exercises.plain import log_sum, matrix, numbers, output, row

# --8<-- [start:weight]
from tilewise.softmax import weight  # weight(x, m) = e^{x − m}, and 0 for x = −∞

# --8<-- [end:weight]


# --8<-- [start:solution]
def sink_row(tiles, sink):
    """(o, L) of a query row from its tiles, where the head has the logit `sink`.

    tiles is a list of (s, v): some scores, maybe −∞, and as many values, lists of d
    numbers. The sink counts as one more key of the row, with the score sink and a value
    of zeros: o = Σ e^{S_j} v_j / Z and L = ln Z with Z = e^{sink} + Σ e^{S_j}. A row
    that sees no key gives zeros and L = sink. There is at least one tile.
    """
    m, l, acc = sink, 1, [0] * len(tiles[0][1][0])
    for s, v in tiles:
        m_new = max([m] + s)
        alpha, p = weight(m, m_new), [weight(x, m_new) for x in s]
        l = alpha * l + sum(p)
        for c in range(len(acc)):
            acc[c] = alpha * acc[c] + sum(x * y[c] for x, y in zip(p, v))
        m = m_new
    return [x / l for x in acc], m + math.log(l)
    # --8<-- [end:solution]


SOLUTION = sink_row
WRONG = """
sink_left_out: m begins at the sink, but ℓ does not count it.
  sink, 1, [0] → sink, 1e-300, [0]
sink_in_every_tile: Each tile counts the sink, which weighs T_c times too much.
  sink, 1, [0] → sink, 1e-300, [0]
  + sum(p) → + sum(p) + weight(sink, m_new)
added_at_the_end: 1 is added to ℓ at the end, when the maximum may have moved.
  sink, 1, [0] → sink, 1e-300, [0]
  m = m_new\\n    return → m = m_new\\n    l += 1\\n    return
sink_with_a_value: The sink's value is 1, not 0.
  [0] * len → [1] * len
weight_is_the_logit: The sink is taken as a weight: Z = sink + Σ e^{S_j}.
  sink, 1, [0] → 0, max(sink, 1e-300), [0]
lse_without_the_sink: L is that of the keys alone.
  m + math.log(l) → m + math.log(max(l - weight(sink, m), 1e-300))
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    tiles = [([0, tau], [[0, 9], [9, 9]]), ([2 * tau, tau], [[-9, 0], [9, 0]])]
    yield "example", [tiles, 0], ([0, 2.7], math.log(10))
    yield "example", [tiles, 3 * tau], ([0, 27 / 17], math.log(17))
    source = numbers(17)
    for sizes in ((2, 2), (3, 3, 1), (1, 1, 1, 1), (5,)):
        tiles = [(row(source, n), matrix(source, n, 3)) for n in sizes]
        for sink in (row(source, 1)[0], -8, 9):
            yield "random", [tiles, sink], whole(tiles, sink)
    tiles = [([1000, -1000], [[1], [2]]), ([1001], [[5]])]
    yield "large", [tiles, 1000], whole(tiles, 1000)
    yield "large", [tiles, -1000], whole(tiles, -1000)
    no = -math.inf
    tiles = [([no, no], [[1, 2], [3, 4]]), ([no, 3], [[5, 6], [7, 8]])]
    yield "hidden", [tiles, 3], ([3.5, 4], 3 + tau)
    yield "hidden", [tiles[:1], 0.5], ([0, 0], 0.5)


def whole(tiles, sink):
    """The row in one piece, with the sink as a last key of zeros."""
    s = sum([s for s, _ in tiles], []) + [sink]
    v = sum([v for _, v in tiles], [])
    return output(s, v + [[0] * len(v[0])]), log_sum(s)
