"""Makes MicroPython's modules behave like CPython's where the pages rely on it.

The page's worker calls `install` before anything else runs. A module that MicroPython
does not have at all stands in the folder `library`.
"""

import itertools
import math as own
import sys


class Math:
    """A module's names; the instance takes the place of the module."""


def exp(x):
    """e^x; too large for float64 is OverflowError, not ValueError."""
    try:
        return own.exp(x)
    except ValueError:
        raise OverflowError("math range error") from None


def exp2(x):
    """2^x."""
    return own.pow(2.0, x)


def log1p(x):
    """ln(1 + x), exact also for small x (Kahan): what 1 + x lost is put back."""
    y = 1.0 + x
    return x if y == 1 or y == own.inf else own.log(y) * (x / (y - 1.0))


def accumulate(items, function=lambda a, b: a + b, *, initial=None):
    """What reduce would have after each item, and `initial` before the first."""
    result, begun = initial, initial is not None
    if begun:
        yield result
    for item in items:
        result = function(result, item) if begun else item
        begun = True
        yield result


def install():
    """Put fresh modules in place, whatever a program did to those before."""
    result = Math()
    for name in dir(own):
        if not name.startswith("_"):
            setattr(result, name, getattr(own, name))
    result.exp, result.exp2, result.log1p = exp, exp2, log1p
    sys.modules["math"] = result
    itertools.accumulate = accumulate
