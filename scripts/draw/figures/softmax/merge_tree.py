"""Row 1 of the example, merged in two orders that end in the same state."""

import math
from fractions import Fraction

from draw.figures import _svg as s

from tilewise.one_pass import dot
from tilewise.softmax import merge
from tilewise.worked_example import SCALE, K, Q, V

WIDE, LEAF, HIGH = 106, 92, 45  # of a merged state; width of a leaf
KEYS = [(SCALE * dot(Q[0], k), 1, v) for k, v in zip(K, V, strict=True)]
SAY = {
    "en": {
        "label": "The states of the four keys of row 1. Above they merge in pairs,"
        " below one by one from left to right; both ways end at {end}.",
        "up": ["in pairs,", "like tiles"],
        "down": ["one by one,", "left to right"], "key": "key {n}",
        "end": "m = {0}, ℓ = {1}, o = {2}",
    },
    "zh": {
        "label": "第 1 行四个键的状态：上面两两合并，下面从左到右逐个合并，"
        "最后都得到 {end}。",
        "up": ["两两合并，", "像分块那样"],
        "down": ["逐个合并，", "从左到右"], "key": "键 {n}",
        "end": "m = {0}，ℓ = {1}，o = {2}",
    },
}


def exact(state):
    """A state's m in units of τ, ℓ and o as the fractions that its floats stand for."""
    m, l, o = state
    made = [Fraction(x).limit_denominator(100) for x in (m / SCALE, l, *o)]
    m, l, *o = map(s.num, made)
    return m, l, f"({', '.join(o)})"


def node(x, y, state, css="tw-m", key=""):
    """A state (m, ℓ, o) centred at x; a leaf says which key it is."""
    m, l, o = exact(state)
    wide, first = (LEAF, y + 37) if key else (WIDE, y + 18)
    parts = [s.rect(x - wide / 2, y, wide, first + 27 - y, css, 'rx="5"')]
    if key:
        parts.append(s.middle(x, y + 17, key, "tw-small tw-muted"))
    parts.append(s.middle(x, first, f"$m$ {m}\u2003$ℓ$ {l}", "tw-tm"))
    return s.group(*parts, s.middle(x, first + 20, f"$o$ {o}", "tw-to"))


def edge(x1, y1, x2, y2, factor):
    """A line, and the factor beside its middle."""
    away = 18 + 6 * abs((x2 - x1) / (y2 - y1))  # clears the line with half the words
    x = (x1 + x2) / 2 + math.copysign(away, x1 - x2)
    words = f"× {s.num(Fraction(factor).limit_denominator(100))}"
    line = s.path(f"M{x1:g} {y1:g}L{x2:g} {y2:g}", "tw-line")
    return line + s.middle(x, (y1 + y2) / 2 + 5, words, "tw-small")


def join(x, y, down, a, b, css="tw-m"):
    """Merge (x, top, bottom, state) a and b at x, y, with the factor on each edge."""
    state, out = merge(a[3], b[3]), []
    for px, top, bottom, part in (a, b):
        y1, y2 = (bottom, y) if down else (top, y + HIGH)
        out.append(edge(px, y1, x, y2, math.exp(part[0] - state[0])))
    return (x, y, y + HIGH, state), [*out, node(x, y, state, css)]


def draw(lang):
    """The figure in English or Chinese."""
    say, parts = SAY[lang], []
    leaves = [(48 + 101.4 * n, 182, 246, state) for n, state in enumerate(KEYS)]
    for n, (x, y, _, state) in enumerate(leaves, 1):
        parts.append(node(x, y, state, key=say["key"].format(n=n)))
    left, made = join(98, 92, False, *leaves[:2])
    right, more = join(302, 92, False, *leaves[2:])
    _, last = join(200, 2, False, left, right, "tw-o")
    parts += [*made, *more, *last]
    chain = leaves[0]
    for n, x, y in ((1, 98, 286), (2, 150, 370), (3, 200, 454)):
        chain, made = join(x, y, True, chain, leaves[n], "tw-m" if n < 3 else "tw-o")
        parts += made
    parts += s.lines(2, 20, 20, say["up"], "tw-muted")
    parts += s.lines(2, 472, 20, say["down"], "tw-muted")
    label = say["label"].format(end=say["end"].format(*exact(chain[3])))
    return s.svg(400, 454 + HIGH + 2, label, *parts)
