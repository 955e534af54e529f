"""Error of O in short formats on three kinds of inputs, as the listing prints it."""

import os
from pathlib import Path

from draw import fresh
from draw.figures import _svg as s
from draw.figures._plot import dot, line
from draw.figures._plot import scale as axis

import tilewise.examples

LEFT, RIGHT, TOP, STEP, ROW = 72, 392, 44, 96, 16
X = axis(0.04, 0.5, LEFT, RIGHT)
WAYS = {"tile": "tw-s", "smooth": "tw-k", "rotate": "tw-q"}
FORMATS = ("e4m3", "e5m2", "MXFP8", "MXFP4", "NVFP4")
SAY = {
    "en": {
        "label": "Error of O in five formats on three kinds of inputs, between {low}"
        " and {high}. On normal inputs the tricks change nothing; rotation helps"
        " against outliers, and smoothing where keys have a common part.",
        "normal": "normal inputs", "outliers": "with outliers",
        "shared": "keys with a common part", "x": "relative error of $O$",
        "tile": "as they are", "smooth": "$K$ smoothed",
        "rotate": "$Q$ and $K$ rotated",
    },
    "zh": {
        "label": "三类输入、五种格式下 O 的误差，在 {low} 到 {high} 之间。输入是正态"
        "分布时，两种办法都不起作用；有离群值时旋转有效，各个键有公共部分时平滑有效。",
        "normal": "正态分布的输入", "outliers": "带离群值",
        "shared": "各个键有公共部分",
        "x": "$O$ 的相对误差", "tile": "不处理",
        "smooth": "$K$ 平滑", "rotate": "$Q$、$K$ 旋转",
    },
}


def rows():
    """{kind: {format: {way: error}}} from the output of the listing."""
    file = Path(tilewise.examples.__file__).with_name("low_precision_errors.py")
    status, printed, errors = fresh.alone(file.read_text("utf-8"), {**os.environ})
    assert status == 0, errors
    head, *found = (x.split() for x in printed.splitlines())
    made = {}
    for kind, name, *numbers in found:
        if name in FORMATS:
            made.setdefault(kind, {})[name] = dict(zip(head, map(float, numbers)))
    return made


def panel(y, title, found):
    """One kind of inputs: a line for each format, a dot for each way."""
    out = [s.text(4, y - 10, title, "tw-strong")]
    for n, name in enumerate(FORMATS):
        at = y + ROW * n + 6
        out.append(s.text(4, at + 4, name, "tw-small"))
        out.append(line("tw-rule", (LEFT, at), (RIGHT, at)))
        for size, (way, cls) in zip((5.5, 4.5, 3.5), WAYS.items()):
            out.append(dot(X(found[name][way]), at, cls, size))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, found, out = SAY[lang], rows(), []
    for x, (way, cls) in zip((8, 128, 248), WAYS.items()):
        out += [dot(x, 9, cls, 4.5), s.text(x + 10, 14, say[way], "tw-small")]
    for n, kind in enumerate(found):
        out += panel(TOP + 6 + (STEP + 14) * n, say[kind], found[kind])
    bottom = TOP + (STEP + 14) * len(found) - 14
    out.append(line("tw-line", (LEFT, bottom), (RIGHT, bottom)))
    for tick in (0.05, 0.1, 0.2, 0.4):
        out.append(line("tw-line", (X(tick), bottom), (X(tick), bottom + 4)))
        out.append(s.middle(round(X(tick)), bottom + 19, f"{tick}", "tw-small"))
    out.append(s.text(RIGHT, bottom + 38, say["x"], "tw-small", "end"))
    kinds = [row for kind in found.values() for row in kind.values()]
    every = [row[way] for row in kinds for way in WAYS]
    label = say["label"].format(low=f"{min(every):.2f}", high=f"{max(every):.2f}")
    return s.svg(400, bottom + 46, label, *out)
