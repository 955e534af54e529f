"""Relative error of attention in five formats: the format decides most of it."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line
from draw.figures._plot import scale as axis
from draw.tables._errors import rows, units, worst

from tilewise.rounding import FORMATS, roundoff

LEFT, RIGHT, TOP, STEP = 52, 392, 96, 46
LOW, HIGH = 2e-17, 5e-2
X = axis(LOW, HIGH, LEFT, RIGHT)
TOLERANCE = 1e-3
RESULTS = (("o",), ("dq", "dk", "dv"))
PLACE = {"standard": -9, "flash2": 9}  # in the row
SAY = {
    "en": {
        "label": "Relative rms error of attention in five formats, over 14 powers of"
        " ten. In each format standard attention and FlashAttention-2's tiles lie side"
        " by side near the format's u: in bf16 {bf16} u and {tiles} u, in fp32 {fp32} u"
        " and {wide} u. A Triton kernel for fp32 with the default tl.dot has an error"
        " of {dot}.",
        "standard": "standard attention", "flash2": "tiles (FA2)",
        "x": "relative error (rms)", "default": "fp32 by a default tl.dot",
    },
    "zh": {
        "label": "五种格式下注意力的相对误差（均方根），横跨 14 个数量级。每种格式下，"
        "标准注意力和 FlashAttention-2 的分块计算都挨在一起，靠近该格式的 u：bf16"
        " 下是 {bf16} u 和 {tiles} u，fp32 下是 {fp32} u 和 {wide} u。Triton 的"
        " fp32 内核，tl.dot 用默认设置，误差是 {dot}。",
        "standard": "标准注意力", "flash2": "分块（FA2）",
        "x": "相对误差（均方根）", "default": "fp32，tl.dot 用默认设置",
    },
}


def ten(n):
    """10 to the power n, as text with a raised exponent."""
    return f"$10^{{{n}}}$".replace("-", "−")


def axes(say, bottom):
    """The logarithmic axis under the rows, and the fixed tolerance across them."""
    out = [line("tw-line", (LEFT, bottom), (RIGHT, bottom))]
    for n in range(-16, -1, 2):
        out.append(line("tw-line", (X(10.0**n), bottom), (X(10.0**n), bottom + 4)))
        out.append(s.middle(round(X(10.0**n)), bottom + 20, ten(n), "tw-small"))
    out.append(s.text(RIGHT, bottom + 40, say["x"], "tw-small", "end"))
    x = X(TOLERANCE)
    out.append(line("tw-faint", (x, TOP - 22), (x, bottom), dashes="4 4"))
    return out


def row(y, name, found):
    """u as a bar; above it standard attention, under it tiles; small: gradients."""
    x = X(roundoff(name))
    out = [s.text(4, y + 5, name, "tw-strong")]
    out.append(line("tw-rule", (LEFT, y), (RIGHT, y)))
    out.append(line("tw-way", (x, y - 17), (x, y + 17)))
    for what, down in PLACE.items():
        for tensors, size in zip(RESULTS, (4.5, 2.5), strict=True):
            error = worst(found, what, name, tensors, "rms") * roundoff(name)
            out.append(dot(X(error), y + down, methods.mark(what), size))
    return out


def legend(say):
    """What the marks are, in two lines."""
    out = [line("tw-way", (LEFT + 165, 6), (LEFT + 165, 24))]
    out.append(s.text(LEFT + 176, 20, "$u$"))
    for y, what in zip((15, 39), PLACE, strict=True):
        out.append(dot(LEFT + 5, y, methods.mark(what)))
        out.append(s.text(LEFT + 16, y + 5, say[what], "tw-small"))
    out.append(dot(LEFT + 165, 39, "tw-paper"))
    out.append(s.text(LEFT + 176, 44, say["default"], "tw-small"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, found = SAY[lang], rows("rows")
    out, places = legend(say), {}
    for n, name in enumerate(FORMATS):
        places[name] = TOP + STEP * n
        out += row(places[name], name, found)
    careless = rows("gpu_rows")["triton default", "fp32", "o"]["rms"]
    out.append(dot(X(careless), places["fp32"], "tw-paper"))
    bottom = TOP + STEP * len(FORMATS) - 18
    out += axes(say, bottom)
    out.append(s.middle(round(X(TOLERANCE)), TOP - 26, ten(-3), "tw-small tw-muted"))
    facts = {
        key: units(worst(found, what, name, ("o",), "rms"))
        for key, what, name in (
            ("bf16", "standard", "bf16"), ("tiles", "flash2", "bf16"),
            ("fp32", "standard", "fp32"), ("wide", "flash2", "fp32"),
        )
    }
    label = say["label"].format(**facts, dot=f"{careless:.4f}")
    return s.svg(400, bottom + 48, label, *out)
