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
        "label": "一块 H200 上，照法则改了以后的用时除以改之前的用时；"
        "依次是各种情形的最小值、几何平均和最大值。{rows}。",
        "row": "{name}：{0:.2f}、{1:.2f}、{2:.2f}", "join": "；",
        "left": "变快", "right": "变慢", "x": "改后用时 / 改前用时",
        "flash-8k": "标准换成 FA2，$N$ = 8k",
        "flash-1k": "标准换成 FA2，$N$ = 1k",
        "compile": "编译 softmax", "causal": "因果用标志",
        "batch": "16 × 1k 换成 1 × 16k", "keys": "每块 64 个键换成 128",
        "gqa": "减少键头", "pad": "填充 $N$", "narrower": "$d$ = 128 换成 80、96",
        "mask": "因果用掩码", "deterministic": "每次一位不差",
        "checkpoint": "梯度检查点", "tiles": "64² 的块换成 128²",
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
