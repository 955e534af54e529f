"""Values as text, as one would type them, whatever they are."""

import math

WIDTH, ITEMS, DEPTH = 160, 40, 5  # what does not fit becomes …


def short(x, width=WIDTH):
    """A value as Python would read it again, with numbers to 10 digits."""
    return cut(written(x, DEPTH), width)


def cut(text, width):
    return text if len(text) <= width else text[: width - 1] + "…"


def call(name, arguments, once=()):
    """The call of a function, with iter(…) around the arguments read only once."""
    inside = []
    for i, x in enumerate(arguments):
        inside.append("iter(" + short(x) + ")" if i in once else short(x))
    return name + "(" + ", ".join(inside) + ")"


def written(x, depth):
    if isinstance(x, (list, tuple)):
        if not depth:
            return "…"
        inside = [written(y, depth - 1) for y in x[:ITEMS]]
        text = ", ".join(inside + ["…"] * (len(x) > ITEMS))
        if isinstance(x, list):
            return "[" + text + "]"
        return "(" + text + ("," if len(x) == 1 else "") + ")"
    if isinstance(x, float):
        return number(x)
    if x is None or isinstance(x, (bool, int, str)):
        return repr(x)
    return "<" + type(x).__name__ + ">"  # no address, and none of the reader's code


def number(x):
    """A float to 10 digits; whole ones without a point, −∞ as it is typed."""
    if x != x:
        return "math.nan"
    if x in (math.inf, -math.inf):
        return "math.inf" if x > 0 else "-math.inf"
    return str(int(x)) if x == int(x) and abs(x) < 1e9 else f"{x:.10g}"
