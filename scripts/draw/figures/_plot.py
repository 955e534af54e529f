"""Helpers for plots and for numbers with units, beside the drawing helpers of _svg."""

import json
import math
from pathlib import Path

from draw.figures import _svg as s

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks/results"


def results(name):
    """One file of benchmarks/results."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def digits(x, n=3):
    """x with at most n significant digits and no exponent: 19.5, 402, 4.8."""
    return f"{float(f'{x:.{n}g}'):g}"


def size(x):
    """Bytes in powers of two: 256 KiB, 29 MiB, and 80 GB as data sheets write it."""
    for unit, name in ((2**30, "GB"), (2**20, "MiB"), (2**10, "KiB")):
        if x >= unit:
            return f"{x / unit:.0f} {name}"
    return f"{x} B"


def rate(x, unit="B/s"):
    """A rate in powers of ten: 2.04 TB/s, 600 GB/s, 805 TFLOP/s."""
    power, prefix = (1e12, "T") if x >= 1e12 else (1e9, "G")
    return f"{digits(x / power)} {prefix}{unit}"


def scale(low, high, start, end):
    """A function from numbers to places on an axis: logarithmic, low at start."""
    length = math.log2(high / low)
    return lambda x: start + (end - start) * math.log2(x / low) / length


def linear(low, high, start, end):
    """A function from numbers to places on an axis that is not logarithmic."""
    return lambda x: start + (end - start) * (x - low) / (high - low)


def ticks(at, marks, top, bottom, strong=None):
    """Vertical rules with words below, {number: words}; one of them may be strong."""
    out = []
    for x, words in marks.items():
        cls = "tw-line" if x == strong else "tw-rule"
        out.append(line(cls, (at(x), top), (at(x), bottom)))
        out.append(s.middle(round(at(x), 1), bottom + 17, words, "tw-small"))
    return out


def dot(x, y, cls, r=4.5):
    """A point of a plot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" class="{cls}"/>'


def clock(left, wide, y, cycles, step, word):
    """An axis of time below a time table: a mark every `step` of so many cycles."""
    out = [s.path(f"M{left:g} {y:g}h{wide:g}", "tw-line")]
    for n in range(0, int(cycles) + 1, step):
        x = round(left + wide * n / cycles, 1)
        out.append(s.path(f"M{x} {y:g}v4", "tw-line"))
        words = f"{n} {word}" if n == 0 else s.count(n)
        out.append(s.text(x, y + 17, words, "tw-small", "" if n == 0 else "middle"))
    return out


def line(cls, *points, dashes=""):
    """A line through points."""
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{d}" class="{cls}"{more}/>'
