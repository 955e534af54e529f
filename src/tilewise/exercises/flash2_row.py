"""A row the way of FlashAttention-2: one division, at the end, and L."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
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


def walk(tiles, step, finish):
    """The loop over tiles, with one step and one end; what the wrong ones share."""
    m, l, o = -math.inf, 0, [0] * len(tiles[0][1][0])
    for s, v in tiles:
        m_new = max([m] + s)
        alpha, p = weight(m, m_new), [weight(x, m_new) for x in s]
        pv = [sum(x * y for x, y in zip(p, column)) for column in zip(*v)]
        l_new = alpha * l + sum(p)
        m, l, o = m_new, l_new, step(alpha, l, l_new, o, pv)
    return finish(m, l, o)


def right_step(alpha, l, l_new, o, pv):
    return [alpha * x + y for x, y in zip(o, pv)]


def right_end(m, l, o):
    return [x / (l or 1) for x in o], m + math.log(l) if l else -math.inf


def output_not_rescaled(tiles):
    """o stays in the unit of the maximum before."""
    return walk(tiles, lambda a, l, n, o, pv: mixed(1, o, pv), right_end)


def inverse_factor(tiles):
    """o is divided by α, as line 10 of the paper's Algorithm 1 was once printed."""
    return walk(tiles, lambda a, l, n, o, pv: mixed(1 / (a or 1), o, pv), right_end)


def divided_twice(tiles):
    """A division in every tile, as in FlashAttention-1, and another at the end."""

    def step(a, l, n, o, pv):
        return [(a * l * x + y) / (n or 1) for x, y in zip(o, pv)]

    return walk(tiles, step, right_end)


def mixed(factor, o, pv):
    return [factor * x + y for x, y in zip(o, pv)]


def sum_not_logged(tiles):
    """L = m + ℓ."""
    return walk(tiles, right_step, lambda m, l, o: (right_end(m, l, o)[0], m + l))


def maximum_forgotten(tiles):
    """L = ln ℓ, in the unit of the row's own maximum."""

    def finish(m, l, o):
        return right_end(m, l, o)[0], math.log(l) if l else -math.inf

    return walk(tiles, right_step, finish)


def zero_for_nothing(tiles):
    """A row that sees no key has L = 0: as if it had seen a key of score 0."""

    def finish(m, l, o):
        return [x / (l or 1) for x in o], m + math.log(l) if l else 0

    return walk(tiles, right_step, finish)


SOLUTION = flash2_row
WRONG = (
    output_not_rescaled,
    inverse_factor,
    divided_twice,
    sum_not_logged,
    maximum_forgotten,
    zero_for_nothing,
)


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
