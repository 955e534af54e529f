"""One row of attention in one pass over the keys, without storing N numbers."""

# --8<-- [start:imports]
import math

from tilewise.softmax import weight

# --8<-- [end:imports]


# --8<-- [start:dot]
def dot(a: list | tuple, b: list | tuple) -> float:
    """Σ_c a_c b_c."""
    return sum(x * y for x, y in zip(a, b))
    # --8<-- [end:dot]


# --8<-- [start:attend_step]
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
    # --8<-- [end:attend_step]


# --8<-- [start:attention_row]
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
    # --8<-- [end:attention_row]
