"""Fused kernels over standard attention for N from 64 to 1024, four panels."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._bench import SHORT
from draw.figures._plot import dot, line, scale
from draw.tables._practices import ms

from tilewise.bench.cells import DIMS, PASSES

SIZES, TICKS = (
    (64, 128, 256, 512, 1024),
    {1 / 8: "⅛", 1 / 4: "¼", 1 / 2: "½", 1: "1", 2: "2"},
)
WIDE, HIGH, LEFT, TOP, GAP = 150, 140, 34, 56, 64
LINES = ("flash", "efficient", "cudnn", "ours")
SAY = {
    "en": {
        "label": "Time of fused kernels over that of standard attention, N from 64 to"
        " 1024, both axes logarithmic, four panels. {panels}.",
        "panel": "{way}, d = {d}: {rows}",
        "row": "{name} {0:.2f} at 64, {1:.2f} at 128, {2:.2f} at 1024",
        "join": ". ", "comma": ", ", "rows": "; ",
        "forward": "forward", "backward": "backward", "ours": "ours",
        "efficient": "memory-efficient", "y": "time / standard attention",
    },
    "zh": {
        "label": "融合内核的用时除以标准注意力的用时，N 从 64 到 1024，"
        "两个坐标轴都是对数刻度，共四幅。{panels}。",
        "panel": "{way}，d = {d}：{rows}",
        "row": "{name}，64 处 {0:.2f}，128 处 {1:.2f}，1024 处 {2:.2f}",
        "join": "。", "comma": "，", "rows": "；",
        "forward": "前向", "backward": "反向", "ours": "本书",
        "efficient": "memory-efficient", "y": "用时 / 标准注意力",
    },
}


def found(what, way, n, d, **which):
    """ms of the setting's 16,384 tokens in a graph, or of what which asks for."""
    which = {"batch": 16384 // n, "graph": True} | which
    return ms("short", what, n=n, d=d, **{"pass": way}, **which)


def ratio(what, way, n, d):
    """A kernel's time over standard attention's."""
    return found(what, way, n, d) / found("standard", way, n, d)


def panel(left, top, way, d, title):
    """Axes and lines of a panel."""
    x = scale(SIZES[0], SIZES[-1], left, left + WIDE)
    y = scale(1 / 8, 3, top + HIGH, top)
    out = [s.text(left, top - 13, title)]
    for tick, name in TICKS.items():
        cls = "tw-line" if tick == 1 else "tw-rule"
        out.append(line(cls, (left, y(tick)), (left + WIDE, y(tick))))
        if left == LEFT:
            out.append(s.text(left - 5, round(y(tick)) + 4, name, "tw-small", "end"))
    for n in SIZES[::2]:
        out.append(s.middle(round(x(n)), top + HIGH + 17, f"{n}", "tw-small"))
    for what in LINES:
        cls, dashes = methods.mark(what), methods.dashes(what)
        points = [(x(n), y(ratio(what, way, n, d))) for n in SIZES]
        out.append(line(f"{cls} tw-open", *points, dashes=dashes))
        if what == "ours":
            out += [dot(*point, cls, 2.5) for point in points]
    return out


def legend(say, top):
    """What each line is, two rows of two."""
    out = []
    for k, what in enumerate(("ours", "cudnn", "flash", "efficient")):
        x, y = LEFT + 150 * (k % 2), top + 22 * (k // 2)
        cls, dashes = methods.mark(what), methods.dashes(what)
        out.append(line(f"{cls} tw-open", (x, y - 4), (x + 26, y - 4), dashes=dashes))
        out.append(s.text(x + 32, y, say.get(what) or SHORT[what], "tw-small"))
    return out


def told(say, way, d):
    """A panel in words."""
    rows = [
        say["row"].format(
            *(ratio(what, way, n, d) for n in (64, 128, 1024)),
            name=say.get(what) or SHORT[what],
        )
        for what in LINES
    ]
    return say["panel"].format(
        way=say[way].capitalize(), d=d, rows=say["rows"].join(rows)
    )


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, words = SAY[lang], [s.text(0, 14, SAY[lang]["y"], "tw-small")], []
    for row, way in enumerate(PASSES):
        for column, d in enumerate(DIMS):
            left, top = LEFT + column * (WIDE + 40), TOP + row * (HIGH + GAP)
            title = f"{say[way]}{say['comma']}$d$ = {d}"
            parts += panel(left, top, way, d, title)
            words.append(told(say, way, d))
    bottom = TOP + 2 * (HIGH + GAP) - 8
    label = say["label"].format(panels=say["join"].join(words))
    return s.svg(400, bottom + 32, label, *parts, *legend(say, bottom))
