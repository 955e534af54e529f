"""Ways to attend to documents of many lengths: ms, on a logarithmic axis."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line, scale, ticks
from draw.tables._varlen import tail
from draw.tables.memory.packed_tail import NAMES, D
from draw.tables.memory.packed_tail import SAY as TABLE

from tilewise.bench.cells import PASSES

LEFT, RIGHT, TOP, STEP = 158, 388, 34, 26
X = scale(0.3, 100, LEFT, RIGHT)
AXIS = {0.5: "0.5", 1: "1", 2: "2", 5: "5", 10: "10", 20: "20", 50: "50 ms"}
LOOK = {
    "gluon_varlen": "ours", "varlen": "plain", "varlen_attn": "flash", "flex": "flex",
    "padded": "naive", "sdpa with a mask": "standard",
}
SAY = {
    "en": {
        "label": "Milliseconds with a causal mask, forward and backward. {rows}.",
        "row": "{name}: {0:.2f} and {1:.2f}", "join": "; ",
        "forward": "forward", "backward": "backward",
    },
    "zh": {
        "label": "因果掩码下前向和反向的毫秒数。{rows}。",
        "row": "{name}：{0:.2f}、{1:.2f}", "join": "；",
        "forward": "前向", "backward": "反向",
    },
}


def found(name):
    """(forward, backward) in ms, causal, d = 128."""
    return [tail(way, name)[D, True] for way in PASSES]


def legend(say):
    """A ring is forward, a disc backward."""
    out = []
    for n, (way, cls) in enumerate(zip(PASSES, ("tw-paper", "tw-dot"), strict=True)):
        x = LEFT + 110 * n
        out += [dot(x + 6, 10, cls), s.text(x + 17, 15, say[way], "tw-small")]
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, told = SAY[lang], []
    out, bottom = legend(say), TOP + STEP * len(NAMES)
    out += ticks(X, AXIS, TOP - 6, bottom)
    for n, way in enumerate(NAMES):
        ms, y, css = found(way), TOP + STEP * n + 12, methods.mark(LOOK[way])
        name = TABLE[lang][way].replace("`", "")
        told.append(say["row"].format(*ms, name=name))
        out.append(s.text(LEFT - 8, y + 5, name, "tw-small", "end"))
        (one, two) = (round(X(x), 1) for x in ms)
        out += [line(f"{css} tw-thick", (one, y), (two, y)), dot(one, y, "tw-paper")]
        out.append(dot(two, y, "tw-dot"))
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(404, bottom + 24, label, *out)
