"""Softmax as it is written, in three passes, in two, and as states that merge.

Everything here is plain Python: a row of scores is a list of numbers, xs. The symbols
are those of the FlashAttention paper (arXiv 2205.14135, section 3.1): m is the maximum
of the scores, and l (ℓ) is the sum of their exponentials relative to that maximum.
"""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]


# --8<-- [start:naive_softmax]
def naive_softmax(xs: list[float]) -> list[float]:
    """softmax(x)_i = e^{x_i} / Σ_j e^{x_j}, computed exactly as it is written.

    Raises OverflowError if a score exceeds about 709.78, because e^x then leaves
    the range of float64.
    """
    exps = [math.exp(x) for x in xs]
    total = sum(exps)
    return [e / total for e in exps]
    # --8<-- [end:naive_softmax]


# --8<-- [start:weight]
def weight(x: float, m: float, exp=math.exp) -> float:
    """e^{x − m}: the weight of a score x relative to a maximum m.

    A score of −∞, which means a key that may not be seen, has the weight 0, even
    if m is −∞ as well and x − m would be NaN. Pass another `exp` to compute in
    another base.
    """
    return 0 if x == -math.inf else exp(x - m)
    # --8<-- [end:weight]


# --8<-- [start:safe_softmax]
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
    # --8<-- [end:safe_softmax]


# --8<-- [start:online_step]
def online_step(state: tuple, x: float) -> tuple:
    """Add one score to the state (m, ℓ) of the scores before it.

    m' = max(m, x),  ℓ' = e^{m − m'} ℓ + e^{x − m'}   (Milakov and Gimelshein 2018)
    """
    m, l = state
    m_new = max(m, x)
    return m_new, weight(m, m_new) * l + weight(x, m_new)
    # --8<-- [end:online_step]


# --8<-- [start:online_softmax]
def online_softmax(xs: list[float]) -> list[float]:
    """The weights of safe_softmax in two passes, because one pass finds m and ℓ."""
    state = (-math.inf, 0)
    for x in xs:  # pass 1: maximum and sum
        state = online_step(state, x)
    m, l = state
    return [weight(x, m) / (l or 1) for x in xs]  # pass 2: the weights
    # --8<-- [end:online_softmax]


# --8<-- [start:merge]
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
    # --8<-- [end:merge]
