"""Speed of the Gluon forward kernel without one of its parts, at both head sizes."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line, linear, results, ticks
from draw.tables._tried import speed
from draw.tables.gpu.forward_without import FILE
from draw.tables.gpu.forward_without import SAY as TABLE

from tilewise.bench.cells import DIMS

LEFT, RIGHT, TOP, STEP = 206, 388, 34, 26
X = linear(0.84, 1.02, LEFT, RIGHT)
AXIS = {0.85: "0.85", 0.9: "0.90", 0.95: "0.95", 1: "1"}
SAY = {
    "en": {
        "label": "Speed of the kernel without a part, over that of the whole kernel:"
        " geometric means at d = 64 and 128. {rows}.",
        "row": "{name}: {values}", "join": "; ", "and": " and ",
        "x": "speed over that of the whole kernel",
    },
    "zh": {
        "label": "内核拿掉一个部分之后的速度，除以完整内核的速度："
        "d = 64 和 128 的几何平均。{rows}。",
        "row": "{name}：{values}", "join": "；", "and": "、",
        "x": "速度 / 完整内核的速度",
    },
}
MARKS = dict(zip(DIMS, ("tw-paper", methods.mark("ours")), strict=True))


def found():
    """{variant: {d: relative speed}}, without what was not timed."""
    rows = results(FILE)["rows"]
    return {
        name: {d: float(x) for d in DIMS if (x := speed(rows, name, d))}
        for name in list(TABLE["en"])[1:]
    }


def legend():
    """Which point is which head dimension."""
    out = []
    for n, (d, css) in enumerate(MARKS.items()):
        x = LEFT + 96 * n
        out += [dot(x + 6, 10, css), s.text(x + 17, 15, f"$d$ = {d}", "tw-small")]
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, out, told, speeds = SAY[lang], legend(), [], found()
    bottom = TOP + STEP * len(speeds)
    out += ticks(X, AXIS, TOP - 6, bottom, strong=1)
    for n, (variant, values) in enumerate(speeds.items()):
        name, y = TABLE[lang][variant].partition(" | ")[0], TOP + STEP * n + 12
        words = say["and"].join(f"{x:.2f}" for x in values.values())
        told.append(say["row"].format(name=name.replace("$", ""), values=words))
        out.append(s.text(LEFT - 8, y + 5, name, "tw-small", "end"))
        out.append(line("tw-faint", (X(min(values.values())), y), (X(1), y)))
        out += [dot(X(x), y, MARKS[d]) for d, x in values.items()]
    out.append(s.text(RIGHT, bottom + 38, say["x"], "tw-small", "end"))
    label = say["label"].format(rows=say["join"].join(told)).replace("_", "")
    return s.svg(404, bottom + 46, label, *out)
