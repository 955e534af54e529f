"""When two results, of two Pythons, count as the same."""

import math

NEAR = 1e-12
# From 3.12 on, CPython's sum() of floats makes up for roundings and MicroPython's does
# not. Of terms near 1 that cancel, only such roundings may be left.
ROUNDING = 1e-14


def equal(a, b):
    """Whether two results are the same, floats to 1e-12 relative or to a rounding."""
    if isinstance(a, dict):
        return (
            isinstance(b, dict)
            and a.keys() == b.keys()
            and all(equal(a[key], b[key]) for key in a)
        )
    if isinstance(a, list):
        same = isinstance(b, list) and len(a) == len(b)
        return same and all(map(equal, a, b))
    if isinstance(a, float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=NEAR, abs_tol=ROUNDING)
    return type(a) is type(b) and a == b
