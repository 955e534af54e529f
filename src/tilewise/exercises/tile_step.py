"""One tile of FlashAttention's forward pass, lines 10 to 13 of Algorithm 1."""

import math

from tilewise.exercises.plain import matrix, numbers, state

# --8<-- [start:weight]
from tilewise.softmax import weight  # weight(x, m) = e^{x − m}, and 0 for x = −∞

# --8<-- [end:weight]


# --8<-- [start:solution]
def tile_step(m, l, o, s, v):
    """The state (m, l, o) of B_r rows after a tile, from the state before it.

    m and l are lists of B_r numbers, o of B_r lists: each row's output over the keys
    so far, already divided by its ℓ. s is the tile of scores, B_r × B_c, some maybe
    −∞; v has the B_c values. A row that has seen no key is (−∞, 0, [0, …, 0]).
    """
    m_all, l_all, o_all = [], [], []
    for m_r, l_r, o_r, s_r in zip(m, l, o, s):
        m_new = max([m_r] + s_r)
        p = [weight(x, m_new) for x in s_r]
        old = weight(m_r, m_new) * l_r  # what the keys before count for now
        l_new = old + sum(p)
        pv = [sum(p_c * v_c[x] for p_c, v_c in zip(p, v)) for x in range(len(o_r))]
        m_all.append(m_new)
        l_all.append(l_new)
        o_all.append([(old * x + y) / (l_new or 1) for x, y in zip(o_r, pv)])
    return m_all, l_all, o_all
    # --8<-- [end:solution]


SOLUTION = tile_step
WRONG = """
mean_taken_for_sum: o was divided by the old ℓ and is used as a sum.
  old * x + y → weight(m_r, m_new) * x + y
factor_left_out: The old part stays in its old unit.
  weight(m_r, m_new) * l_r → l_r
maximum_of_tile: One maximum for all rows: a row far below the others vanishes.
  max([m_r] + s_r) → max([m_r] + sum(s, []))
new_maximum_of_tile_alone: m' = m̃: the old maximum is dropped, though it may be larger.
  max([m_r] + s_r) → max(s_r)
division_left_out: o comes back as a sum, as FlashAttention-2 carries it.
  (old * x + y) / (l_new or 1) → old * x + y
written_over: The new state is written into the lists of the old one.
  return → m[:], l[:], o[:] = m_all, l_all, o_all; return
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    first = [[-1, -1], [1, 0]], [[0, 9], [9, 9]]  # rows 1, 2; keys 1, 2
    last = [[-2, 0], [0, -1]], [[-9, 0], [9, 0]]  # rows 1, 2; keys 3, 4
    s = [[tau * x for x in row] for row in first[0]]
    none = [-math.inf] * 2, [0] * 2, [[0, 0]] * 2
    one = [-tau, tau], [2, 3 / 2], [[4.5, 9], [3, 9]]
    yield "first", list(none) + [s, first[1]], one
    s = [[tau * x for x in row] for row in last[0]]
    two = [0, tau], [9 / 4, 9 / 4], [[5, 4], [1, 6]]
    yield "second", list(one) + [s, last[1]], two
    source = numbers(6)
    for rows, cols, before in ((2, 3, 2), (3, 2, 4), (1, 1, 1), (2, 5, 3)):
        s = matrix(source, rows, before + cols)
        yield case("random", s, matrix(source, before + cols, 3), before)
    yield case("falling", [[5, 4, 3, 2, 1]], matrix(source, 5, 2), 2)
    yield case("apart", [[1000, 999], [-1000, -999]], matrix(source, 2, 2), 1)
    no = -math.inf
    hidden = [[no, 1, no, no], [no, no, no, 2], [no, no, no, no]]
    yield case("masked", hidden, matrix(source, 4, 2), 2)


def case(check, s, v, before):
    """The step after the first `before` keys, over all other keys."""

    def states(n):
        return tuple([list(x) for x in zip(*[state(row[:n], v[:n]) for row in s])])

    tile = [row[before:] for row in s]
    return check, list(states(before)) + [tile, v[before:]], states(len(v))
