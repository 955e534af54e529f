# online_softmax.py of Tilewise 0.1.0, by `tilewise export`.
# It needs only Python; python online_softmax.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""Softmax in three passes and in two, attention in one, and states that merge.

`online_softmax(xs)` reads a row of scores twice instead of three times, because one
pass finds the maximum m and the sum l at once: when a larger score arrives, the sum so
far is rescaled by one factor. `attention_row(q, keys, values)` carries the weighted
mean along too, so that attention needs a single pass. `merge(a, b)` joins the states of
two parts of a row. Everything is plain Python on lists of numbers.
"""

import math

def weight(x: float, m: float, exp=math.exp) -> float:
    """e^{x − m}: the weight of a score x relative to a maximum m.

    A score of −∞, which means a key that may not be seen, has the weight 0, even
    if m is −∞ as well and x − m would be NaN. Pass another `exp` to compute in
    another base.
    """
    return 0 if x == -math.inf else exp(x - m)

def safe_softmax(xs: list[float]) -> list[float]:
    """softmax(x)_i = e^{x_i − m} / ℓ with m = max_j x_j and ℓ = Σ_j e^{x_j − m}.

    This takes three passes over the row. If every score is −∞, there is nothing to
    weigh, and all weights are 0.
    """
    m = -math.inf
    for x in xs:  # pass 1: the maximum
        m = max(m, x)
    l = 0.0
    for x in xs:  # pass 2: the sum
        l = l + weight(x, m)
    return [weight(x, m) / (l or 1) for x in xs]  # pass 3: the weights

def online_step(state: tuple, x: float) -> tuple:
    """Add one score to the state (m, ℓ) of the scores before it.

    m' = max(m, x),  ℓ' = e^{m − m'} ℓ + e^{x − m'}   (Milakov and Gimelshein 2018)
    """
    m, l = state
    m_new = max(m, x)
    return m_new, weight(m, m_new) * l + weight(x, m_new)

def online_softmax(xs: list[float]) -> list[float]:
    """The weights of safe_softmax in two passes, because one pass finds m and ℓ."""
    state = (-math.inf, 0)
    for x in xs:  # pass 1: maximum and sum
        state = online_step(state, x)
    m, l = state
    return [weight(x, m) / (l or 1) for x in xs]  # pass 2: the weights

IDENTITY = (-math.inf, 0)  # the state of no scores at all

def merge(a: tuple, b: tuple) -> tuple:
    """The state of two sets of scores together, from the state of each set.

    A state is (m, ℓ) or (m, ℓ, o), where o is the weighted mean of the set's values:
    m = max(m_a, m_b),  ℓ = ℓ_a' + ℓ_b',  o = (ℓ_a' o_a + ℓ_b' o_b) / ℓ
    with ℓ_a' = e^{m_a − m} ℓ_a and ℓ_b' = e^{m_b − m} ℓ_b.

    The operation is associative and commutative, and merging with IDENTITY changes
    nothing. Raises ValueError if the two states do not have the same form.
    """
    if a[1] == 0:
        return b
    if b[1] == 0:
        return a
    if len(a) != len(b) or len(a) == 3 and len(a[2]) != len(b[2]):
        raise ValueError(f"cannot merge states of different form: {a} and {b}")
    m = max(a[0], b[0])
    l_a, l_b = weight(a[0], m) * a[1], weight(b[0], m) * b[1]
    l = l_a + l_b
    if len(a) == 2:
        return m, l
    return m, l, [(l_a * x + l_b * y) / l for x, y in zip(a[2], b[2])]

def dot(a: list | tuple, b: list | tuple) -> float:
    """Σ_c a_c b_c."""
    return sum(x * y for x, y in zip(a, b))

def attend_step(state: tuple, x: float, v: list) -> tuple:
    """Add one key, given its score x and its value v, to the state (m, ℓ, o).

    m' = max(m, x),  ℓ' = e^{m − m'} ℓ + e^{x − m'},
    o' = (e^{m − m'} ℓ o + e^{x − m'} v) / ℓ'
    After every key, o is therefore the finished output for the keys so far.
    """
    m, l, o = state
    m_new = max(m, x)
    old = weight(m, m_new) * l  # what the keys before count for now
    new = weight(x, m_new)  # what this key counts for
    l_new = old + new
    return m_new, l_new, [(old * a + new * b) / (l_new or 1) for a, b in zip(o, v)]

def attention_row(
    q: list, keys: list, values: list, *, scale: float | None = None
) -> list[float]:
    """o = Σ_j softmax(scale · q·k)_j v_j for one query q, reading each key once.

    q has d numbers, keys is N × d, values is N × d_v, and the result has d_v numbers.
    If scale is None, it is 1/√d. Raises ValueError if the sizes do not match.
    """
    if len(keys) != len(values):
        raise ValueError(f"{len(keys)} keys and {len(values)} values; they must agree")
    if any(len(k) != len(q) for k in keys):
        raise ValueError(f"every key must have d = {len(q)} numbers, as q has")
    if any(len(v) != len(values[0]) for v in values):
        raise ValueError("every value must have the same d_v")
    scale = len(q) ** -0.5 if scale is None else scale
    state: tuple = (-math.inf, 0, [0] * len(values[0]) if values else [])
    for k, v in zip(keys, values):
        state = attend_step(state, scale * dot(q, k), v)
    return state[2]


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
