"""The numbers above 0 of three short formats, on a logarithmic line."""

import math

from draw.figures import _svg as s
from draw.figures._plot import line
from draw.figures._plot import scale as axis

from tilewise.low_precision import values

LEFT, RIGHT, TOP, STEP = 58, 390, 30, 54
X = axis(2.0**-17, 2.0**17, LEFT, RIGHT)
SAY = {
    "en": {
        "label": "The numbers above 0 of three formats on a logarithmic line: {all}."
        " Within a power of two, e4m3 has 8 numbers, e5m2 has 4 and e2m1 has 2.",
        "each": "{name} has {n}, from {low} to {high}", "join": ", ",
        "count": "{n} numbers, {low} to {high}",
    },
    "zh": {
        "label": "三种格式的正数，画在对数轴上：{all}。在相邻的两个 2 的幂之间，e4m3 有"
        " 8 个数，e5m2 有 4 个，e2m1 有 2 个。",
        "each": "{name} 有 {n} 个，从 {low} 到 {high}", "join": "；",
        "count": "{n} 个数，从 {low} 到 {high}",
    },
}
CLASS = {"e4m3": "tw-q", "e5m2": "tw-k", "e2m1": "tw-v"}


def number(x):
    """Small ones as a power of two, others as they are."""
    return s.count(round(x)) if x >= 1 else f"$2^{{−{-round(math.log2(x))}}}$"


def facts(name):
    """How many numbers there are, the smallest and the largest."""
    _, *found = values(name)
    low = "0.5" if name == "e2m1" else number(found[0])
    return {"name": name, "n": len(found), "low": low, "high": number(found[-1])}


def row(y, name, say):
    """One format: a stroke for every number, and its count above."""
    out = [s.text(4, y + 13, name, "tw-strong")]
    out.append(s.text(LEFT, y - 8, say["count"].format(**facts(name)), "tw-small"))
    strokes = "".join(f"M{X(x):.1f} {y}v18" for x in values(name)[1:])
    out.append(s.path(strokes, "tw-line"))
    return [*out, line("tw-line", (LEFT, y + 18), (RIGHT, y + 18))]


def draw(lang):
    """The figure in English or Chinese."""
    say, out = SAY[lang], []
    for n, name in enumerate(CLASS):
        out += row(TOP + STEP * n, name, say)
    bottom = TOP + STEP * len(CLASS) - 18
    for n in range(-16, 17, 8):
        x = X(2.0**n)
        power = f"$2^{{{n}}}$".replace("-", "−")
        out.append(s.middle(round(x), bottom + 8, power, "tw-small"))
        for y in range(TOP, bottom - 18, STEP):
            out.append(line("tw-faint", (x, y), (x, y + 18), dashes="3 4"))
    plain = [
        say["each"].format(**{k: f"{v}".replace("$", "") for k, v in facts(n).items()})
        for n in CLASS
    ]
    text = say["join"].join(plain).replace("^{", "^").replace("}", "")
    return s.svg(400, bottom + 16, say["label"].format(all=text), *out)
