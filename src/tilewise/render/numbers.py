"""Numbers as text: exact ones as fractions, others as decimals of one form a matrix."""

import math
from fractions import Fraction


def column(xs):
    """A vector as the matrix with one column that the paper means by it."""
    return [x if isinstance(x, list) else [x] for x in xs]


def cells(rows, exact):
    """Every number of a matrix or vector as a string: (R × C) → (R × C)."""
    rows = column(rows)
    form = fraction if exact else decimal_form([x for row in rows for x in row])
    return [["-∞" if x == -math.inf else form(x) for x in row] for row in rows]


def fraction(x):
    """-3, 9/4: the shortest exact form of a whole number or Fraction."""
    return str(Fraction(x))


def decimal_form(xs):
    """The one form in which all of xs are shown, so that their points align.

    Whole numbers as such, others with four decimals; very large and very small ones
    as 1.2346e+07, because four decimals would show too much of them or nothing.
    """
    sizes = [abs(x) for x in xs if x != -math.inf and x != 0]
    largest = max(sizes, default=0)
    if largest < 1e6 and all(x == int(x) for x in sizes):
        return lambda x: f"{int(x)}"
    spec = ".4f" if 1e-3 <= largest < 1e6 else ".4e"

    def form(x):
        text = format(float(x), spec)
        return text.lstrip("-") if float(text) == 0 else text  # no -0.0000

    return form


def log_sum_exp(state, exact):
    """L = m + ln ℓ of every row, −∞ where ℓ = 0; exact states have m in units of ln 2.

    Returns one float a row.
    """
    unit = math.log(2) if exact else 1
    return [
        m * unit + math.log(l) if l else -math.inf
        for m, l in zip(state["m"], state["l"], strict=True)
    ]


def exact_exp(state):
    """e^L = 2^{m/τ} ℓ of every row of an exact state, None where the row saw no key."""
    return [
        Fraction(2) ** m * l if l else None
        for m, l in zip(state["m"], state["l"], strict=True)
    ]
