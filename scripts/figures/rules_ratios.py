"""What following thirteen rules of thumb does to the time, on a logarithmic axis."""

from figures import _svg as s
from figures._plot import dot, line, scale
from tables._rules import TIMES, summary

LEFT, RIGHT, TOP, STEP = 178, 384, 40, 25
X = scale(1 / 8, 2, LEFT, RIGHT)
BOTTOM = TOP + STEP * len(TIMES)
TICKS = {1 / 8: "⅛", 1 / 4: "¼", 1 / 2: "½", 1: "1", 2: "2"}
SAY = {
    "en": {
        "label": "Time after following a rule over the time before, on one H200; least,"
        " geometric mean and most of the cells measured. {rows}.",
        "row": "{name}: {0:.2f}, {1:.2f}, {2:.2f}", "join": "; ",
        "left": "faster", "right": "slower", "x": "time after / before",
        "flash-8k": "FA2 for standard, $N$ = 8k",
        "flash-1k": "FA2 for standard, $N$ = 1k",
        "compile": "compile the softmax", "causal": "causal, by a flag",
        "batch": "1 × 16k, not 16 × 1k", "keys": "128 keys a tile, not 64",
        "gqa": "fewer key heads", "pad": "pad $N$", "narrower": "$d$ = 80, 96, not 128",
        "mask": "causal, by a mask", "deterministic": "the same bits",
        "checkpoint": "checkpointing", "tiles": "tiles of 128², not 64²",
    },
    "zh": {
        "label": "在一块 H200 上，照规则做之后的时间除以之前的时间；"
        "各测量点的最小值、几何平均和最大值。{rows}。",
        "row": "{name}：{0:.2f}、{1:.2f}、{2:.2f}", "join": "；",
        "left": "更快", "right": "更慢", "x": "之后的时间 / 之前的时间",
        "flash-8k": "FA2 代替标准，$N$ = 8k",
        "flash-1k": "FA2 代替标准，$N$ = 1k",
        "compile": "编译 softmax", "causal": "因果，用标志",
        "batch": "1 × 16k，不是 16 × 1k", "keys": "每块 128 个键，不是 64",
        "gqa": "更少的键头", "pad": "填充 $N$", "narrower": "$d$ = 80、96，不是 128",
        "mask": "因果，用掩码", "deterministic": "逐位相同",
        "checkpoint": "梯度检查点", "tiles": "128² 的块，不是 64²",
    },
}  # fmt: skip


def axis(say):
    """Ticks with their numbers, the line of no change, which side is which."""
    out = []
    for x, name in TICKS.items():
        cls = "tw-line" if x == 1 else "tw-rule"
        out.append(line(cls, (X(x), TOP - 6), (X(x), BOTTOM)))
        out.append(s.middle(round(X(x)), BOTTOM + 17, name, "tw-small"))
    out.append(s.text(round(X(1)) - 5, TOP - 14, f"← {say['left']}", "tw-small", "end"))
    out.append(s.text(round(X(1)) + 5, TOP - 14, f"{say['right']} →", "tw-small"))
    return [*out, s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end")]


def draw(lang):
    """The figure in English or Chinese."""
    say, out, told = SAY[lang], [], []
    for n, (rule, ratios) in enumerate(TIMES.items()):
        found, y = summary(ratios()), TOP + STEP * n + 12
        told.append(say["row"].format(*found, name=say[rule].replace("$", "")))
        low, mean, high = map(X, found)
        out.append(s.text(LEFT - 10, y + 5, say[rule], "tw-small", "end"))
        out += [line("tw-way", (low, y), (high, y)), dot(mean, y, "tw-dot", 3.5)]
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(404, BOTTOM + 46, label, *axis(say), *out)
