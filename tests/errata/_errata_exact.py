"""What each erratum must come to, from exact fractions and closed formulas.

Independent of the package: weights are powers of two, since τ = ln 2, and sums are
sums over sets of keys. Only what has no exact value is a float.
"""

import math
from fractions import Fraction as F

Q = [[-1, -1], [1, 0], [0, 1], [1, 1]]
K = [[1, 0], [0, 1], [0, 2], [-1, 1]]
V = [[0, 9], [9, 9], [-9, 0], [9, 0]]
DO = [[1, 0], [0, 1], [1, 1], [1, 0]]
S = [[-1, -1, -2, 0], [1, 0, 0, -1], [0, 1, 2, 1], [1, 1, 2, 0]]  # in units of τ
NINTHS = [[2, 2, 1, 4], [4, 2, 2, 1], [1, 2, 4, 2], [2, 2, 4, 1]]
P = [[F(x, 9) for x in row] for row in NINTHS]
O = [[5, 4], [1, 6], [0, 3], [-1, 4]]
ROWS = range(4)


def two(x):
    return F(2) ** x


def mean(weights, values):
    """Σ w v / Σ w for each column of the values."""
    columns = [sum(w * v[c] for w, v in zip(weights, values)) for c in (0, 1)]
    return [x / sum(weights) for x in columns]


def off(rows, truth=O):
    """The largest difference of two matrices."""
    return max(abs(x - y) for a, b in zip(rows, truth) for x, y in zip(a, b))


def seen(sets):
    """Attention where row r sees only the keys of sets[r]."""
    rows = zip(S, sets)
    return [mean([two(s[j]) for j in keys], [V[j] for j in keys]) for s, keys in rows]


def blocks(r):
    """(m, ℓ, Σ e^{s − m} v) of row r for keys 1, 2, for keys 3, 4 and for all."""
    parts = []
    for keys in ((0, 1), (2, 3), ROWS):
        m = max(S[r][j] for j in keys)
        w = [two(S[r][j] - m) for j in keys]
        sums = [sum(x * V[j][c] for x, j in zip(w, keys)) for c in (0, 1)]
        parts.append((m, sum(w), sums))
    return parts


def combined(rule):
    """The error of O where rule(a, b, f, g, l₁, l) puts a row's two blocks together.

    a, b are entries of Σ e^{s − m} v, each in the unit of its own block; f and g bring
    them to the common unit; l₁ and l are the sums of the first block and of all.
    """
    rows = []
    for r in ROWS:
        (m_1, l_1, a), (m_2, _, b), (m, l, _) = blocks(r)
        units = two(m_1 - m), two(m_2 - m)
        rows.append([rule(x, y, *units, l_1, l) for x, y in zip(a, b)])
    return off(rows)


def skipping(order):
    """The error of O = Σ p_j v_{order[j]} / Σ p_j over the first len(order) keys."""
    values = [V[j] for j in order]
    return off([mean([two(x) for x in row[: len(order)]], values) for row in S])


def two_stages(copied=True, divided=True):
    """The error of Algorithm 2 of FlashAttention-3, line 16 or 20 as printed.

    A P̃ that is never replaced stays 1 in the unit of the maximum so far, so that all
    keys but the last weigh 2^{that maximum}; undivided, a row is left in units of 2^m.
    """
    rows = []
    for s in S:
        w = [two(s[j] if copied else max(s[: j + 1])) for j in (0, 1, 2)] + [two(s[3])]
        unit = sum(map(two, s)) if divided else two(max(s))
        rows.append([dot(w, column) / unit for column in zip(*V)])
    return off(rows)


def scaled(scale):
    """softmax(scale · QKᵀ) V in floats; S holds the integers QKᵀ."""
    return [mean([math.exp(scale * x) for x in row], V) for row in S]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


DP = [[dot(a, v) for v in V] for a in DO]
DELTA = [dot(a, b) for a, b in zip(DO, O)]
DS = [[P[r][j] * (DP[r][j] - DELTA[r]) for j in ROWS] for r in ROWS]

# N = d = 2: rows 3 and 4 against keys 3 and 4
W = [[two(S[r][j]) for j in (2, 3)] for r in (2, 3)]
P2 = [[x / sum(row) for x in row] for row in W]
V2, DO2, Q2 = V[2:], DO[2:], Q[2:]
O2 = [mean(row, V2) for row in P2]
DP2 = [[dot(a, v) for v in V2] for a in DO2]
DS2 = [[P2[r][j] * (DP2[r][j] - dot(DO2[r], O2[r])) for j in (0, 1)] for r in (0, 1)]
DK2 = [[sum(DS2[r][j] * Q2[r][c] for r in (0, 1)) for c in (0, 1)] for j in (0, 1)]
WRONG_DK2 = [[dot(q, row) for row in DS2] for q in Q2]  # Q dSᵀ


def square(delta):
    """The error of dS with δ = delta(r, j) at row r, column j."""

    def entry(r, j):
        return P2[r][j] * (DP2[r][j] - delta(r, j))

    return off([[entry(r, j) for j in (0, 1)] for r in (0, 1)], DS2)


def traffic(n, d, sram):
    """Algorithm 1 in closed form: K, V once; Q and three of O, ℓ, m a block."""
    t_c = -(-n // -(-sram // (4 * d)))
    return 2 * n * d + t_c * n * d + n * (d + 2) * (2 * t_c + 1)


def standard(n, d):
    return 4 * n * n + 4 * n * d


CAUSAL = seen([range(r + 1) for r in ROWS])


def axis():
    """Softmax down the columns."""
    sums = [sum(map(two, column)) for column in zip(*S)]
    p = [[two(x) / total for x, total in zip(row, sums)] for row in S]
    return off([[dot(row, v) for v in zip(*V)] for row in p])


def rescaled_twice():
    """Key by key; a key that does not set the maximum weighs 2^{2(s − m)} in all."""
    rows = []
    for r in ROWS:
        m, l, o = S[r][0], F(1), V[0]
        for s, v in zip(S[r][1:], V[1:]):
            m, old, new = max(m, s), two(m - max(m, s)), two(2 * (s - max(m, s)))
            l, o = old * l + new, [old * x + new * y for x, y in zip(o, v)]
        rows.append([x / l for x in o])
    return off(rows)


def add_lse():
    """e^{L₁ − (L₁ + L₂)} = e^{−L₂}, and the other way round."""
    rows = []
    for r in ROWS:
        (m_1, l_1, a), (m_2, l_2, b), _ = blocks(r)
        w_1, w_2 = 1 / (two(m_2) * l_2), 1 / (two(m_1) * l_1)
        rows.append([w_1 * x / l_1 + w_2 * y / l_2 for x, y in zip(a, b)])
    return off(rows)


def base_2():
    rows = []
    for r in ROWS:
        (m_1, l_1, a), (m_2, l_2, b), _ = blocks(r)
        w = [math.exp(math.log2(two(m) * l)) for m, l in ((m_1, l_1), (m_2, l_2))]
        rows.append(mean(w, [[x / l_1 for x in a], [x / l_2 for x in b]]))
    return off(rows)


def zeros():
    """Two more keys of score 0 and value 0 in every row."""
    values = V + [[0, 0]] * 2
    return off([mean([*map(two, row), 1, 1], values) for row in S])


def without_p():
    """dP ∘ P − rowsum(dP ∘ P): what is subtracted is not weighted."""
    both = [[x * y for x, y in zip(*rows)] for rows in zip(DP, P)]
    return off([[x - sum(row) for x in row] for row in both], DS)


def both_passes(n, d, block_cols):
    """Elements moved forward and backward: Algorithms 1 and 4 against 0 and 3."""
    t_c = -(-n // block_cols)
    backward = 7 * n * d + t_c * n * (5 * d + 2)
    return (traffic(n, d, 4 * d * block_cols) + backward) / (11 * n * n + 12 * n * d)
