"""How many times as fast as its peers the Gluon forward kernel is, over all cells."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._bench import COLUMNS, LONG, TOP, ratios
from draw.figures._plot import dot, line, linear, ticks

from tilewise.bench.cells import geometric

LEFT, RIGHT, ABOVE, STEP = 140, 388, 12, 34
X = linear(0.9, 2.5, LEFT, RIGHT)
AXIS = {1: "1", 1.5: "1.5", 2: "2", 2.5: "2.5"}
PEERS = COLUMNS["forward"]
SAY = {
    "en": {
        "label": "Speed of the Gluon kernel over that of others, forward: smallest,"
        " geometric mean and largest of twenty cells. {rows}.",
        "row": "{name}: {0:.2f}, {1:.2f}, {2:.2f}", "join": "; ",
        "x": "speed, ours over theirs",
    },
    "zh": {
        "label": "Gluon 前向内核的速度除以其他内核的速度："
        "二十种情形的最小值、几何平均和最大值。{rows}。",
        "row": "{name}：{0:.2f}、{1:.2f}、{2:.2f}", "join": "；",
        "x": "本书的速度 / 对方的速度",
    },
}


def found(peer):
    """(Smallest, geometric mean, largest) ratio over the cells."""
    values = ratios("forward", TOP["forward"], peer).values()
    return min(values), geometric(values), max(values)


def draw(lang):
    """The figure in English or Chinese."""
    say, out, told = SAY[lang], [], []
    bottom = ABOVE + STEP * len(PEERS)
    out += ticks(X, AXIS, ABOVE - 4, bottom, strong=1)
    for n, peer in enumerate(PEERS):
        three, y, css = found(peer), ABOVE + STEP * n + 18, methods.mark(peer)
        told.append(say["row"].format(*three, name=LONG[peer]))
        low, mean, high = (round(X(x), 1) for x in three)
        out.append(s.text(LEFT - 12, y + 5, LONG[peer], "", "end"))
        out += [line(f"{css} tw-thick", (low, y), (high, y)), dot(mean, y, css, 5)]
        clear = max(mean, round(X(1)) + 19)  # of the line at 1
        out.append(s.middle(clear, y - 9, f"{three[1]:.2f}", "tw-small"))
    out.append(s.text(RIGHT, bottom + 38, say["x"], "tw-small", "end"))
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(404, bottom + 46, label, *out)
