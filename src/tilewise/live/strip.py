"""The online-softmax strip: a row of scores read one at a time, or cut and merged.

Scores come in units of τ = ln 2, which makes e^{x} a power of two, or in units of 1.
A quantity is a pair [number, text]: what a picture is drawn with and what is shown.
m is given in the reader's unit.
"""

import math

from tilewise.live.reading import choice, fraction, numbers, safe
from tilewise.softmax import (
    IDENTITY,
    merge,
    naive_softmax,
    online_softmax,
    online_step,
    weight,
)

MOST = 64  # scores in a row
UNITS = {"2": math.log(2), "e": 1.0}


def pair(x):
    """[number, text] of a float."""
    return [safe(float(x)), "NaN" if x != x else fraction(x)]


def score(x):
    """The same of a score or a maximum: a decimal, as it was typed, if it is short."""
    text = f"{x:.7g}"
    if abs(x) < math.inf and abs(float(text) - x) <= 1e-12 * abs(x):
        return [float(x), text.replace("-", "−")]
    return pair(x)


def asked_row(asked):
    """The scores and the unit of a request, checked; raises Problem."""
    unit = UNITS[choice(asked["unit"], "unit", ("2", "e"))]
    return numbers(asked["scores"], "scores", MOST, infinite=True), unit


def steps(asked):
    """{"scores": text, "unit": "2" or "e"} → the states of the row, score by score.

    "joins"[i] is what score i does: the state before it and the score joined; its
    "case" is "first", "moves" or "stays" (the maximum), or "nothing" for −∞.
    """
    row, unit = asked_row(asked)
    state, joins = IDENTITY, []
    for x in [x * unit for x in row]:
        after = online_step(state, x)
        case = "moves" if state[0] < x else "stays"
        case = "nothing" if x == -math.inf else case if state[1] else "first"
        joins.append(join(state, (x, 1), after, unit) | {"case": case})
        state = after
    return {"joins": joins} | beside(row, unit)


def cuts(asked):
    """The same request → the two states of every cut of the row, and both as one.

    "joins"[k] has scores 0 to k−1 on the left; "swapped" is merge(b, a). Its "case" is
    "swapped", or "empty" where a half has no finite score.
    """
    row, unit = asked_row(asked)
    xs = [x * unit for x in row]
    joins = []
    for k in range(len(xs) + 1):
        a, b = folded(xs[:k]), folded(xs[k:])
        joined = join(a, b, merge(a, b), unit)
        joined["swapped"] = stated(merge(b, a), unit)
        joins.append(joined | {"case": "swapped" if a[1] and b[1] else "empty"})
    return {"joins": joins} | beside(row, unit)


def folded(xs):
    """The state of some scores: a fold of online_step."""
    state = IDENTITY
    for x in xs:
        state = online_step(state, x)
    return state


def stated(state, unit):
    """(m, ℓ) as pairs, m in the reader's unit."""
    return {"m": score(state[0] / unit), "l": pair(state[1])}


def join(a, b, both, unit):
    """Two states and their union: each has its factor e^{m − m'}, its part of ℓ."""
    union = stated(both, unit)
    for name, (m, l) in (("a", a), ("b", b)):
        factor = weight(m, both[0])
        union[name] = stated((m, l), unit) | {"factor": pair(factor)}
        union[name]["part"] = pair(factor * l)
    return union


def beside(row, unit):
    """The scores as shown, the weights by online softmax, and the naive attempt."""
    xs = [x * unit for x in row]
    facts = {"scores": [score(x) for x in row], "naive": naive(xs)}
    return facts | {"online": [pair(x) for x in online_softmax(xs)]}


def naive(xs):
    """e^{x}, their sum and quotients as floating point has them; a problem if any.

    Where `naive_softmax` stops with an error, a GPU goes on: e^{x} beyond the range
    is ∞, and ∞/∞ and 0/0 are NaN. "problem" is "", "overflow", "zero" or "none".
    """
    exps = [power(x) for x in xs]
    total = sum(exps)
    problem = "zero" if total == 0 else "overflow" if total == math.inf else ""
    if max(xs) == -math.inf:
        problem = "none"  # to weigh
    if problem:
        weights = [math.nan if e == total else e / total for e in exps]
    else:
        weights = naive_softmax(xs)
    sums = {"exps": [pair(x) for x in exps], "total": pair(total)}
    return sums | {"weights": [pair(x) for x in weights], "problem": problem}


def power(x):
    """e^{x}, ∞ where it leaves float64; MicroPython raises ValueError there."""
    try:
        return math.exp(x)
    except (OverflowError, ValueError):
        return math.inf
