"""The measured errors of attention, in units of a format's u, for tables and plots."""

import math

from draw.figures._plot import results

from tilewise.rounding import roundoff

FILE = "h200-2026-11-20-precision"


def power(x, n=2):
    """x with n significant digits and a power of ten: 5.1 · 10<sup>−3</sup>."""
    digits, exponent = f"{x:.{n - 1}e}".split("e")
    raised = str(int(exponent)).replace("-", "−")
    return f"{digits}\u00a0·\u00a010<sup>{raised}</sup>"


def units(x):
    """A multiple of u: 0.56, 1.1, 7.5, 29."""
    return f"{x:.2f}" if x < 1 else f"{x:.1f}" if x < 10 else f"{x:.0f}"


def rows(key):
    """(what, format, tensor) -> row, of one list of the results."""
    found = results(FILE)[key]
    return {(r["what"], r["format"], r["tensor"]): r for r in found}


def worst(found, what, name, tensors, measure):
    """The largest error over some results: "max", or "rms" in units of u."""
    unit = 1 if measure == "max" else roundoff(name)
    errors = [found[what, name, t][measure] / unit for t in tensors]
    assert all(math.isfinite(x) for x in errors)
    return max(errors)
