"""What following twenty rules of thumb does to the time, on a logarithmic axis."""

from draw.figures import _svg as s
from draw.figures._plot import dot, line, scale
from draw.tables._rules import TIMES, summary

LEFT, RIGHT, TOP, STEP = 202, 390, 40, 24
X = scale(1 / 10, 8, LEFT, RIGHT)
BOTTOM = TOP + STEP * len(TIMES)
TICKS = {1 / 8: "⅛", 1 / 4: "¼", 1 / 2: "½", 1: "1", 2: "2", 4: "4", 8: "8"}
SAY = {
    "en": {
        "label": "Time after following a rule over the time before, on one H200:"
        " smallest, geometric mean and largest of the cells measured. {rows}.",
        "row": "{name}: {0:.2f}, {1:.2f}, {2:.2f}", "join": "; ",
        "left": "faster", "right": "slower", "x": "time after / before",
        "compile": "torch.compile, no mask", "compile-causal": "torch.compile, causal",
        "flash-8k": "FA2 for standard, $N$ = 8k",
        "flash-1k": "FA2 for standard, $N$ = 1k",
        "decoding": "8 KV heads for 32, decoding", "tf32": "TF32, written out",
        "causal": "causal, by a flag", "keys": "128 keys per tile, not 64",
        "batch": "64 sequences, not 1", "gqa": "fewer KV heads, training",
        "half": "fp16, not bf16", "narrower": "$d$ = 80, 96, not 128",
        "checkpoint": "checkpointing", "tiles": "tiles of 128², not 64²",
        "copy": "copy a view first", "bits": "the same bits, ours",
        "empty": "empty the cache", "bits-efficient": "the same bits, efficient",
        "pad": "fill 1000 up to 1024", "mask": "a mask, not the flag",
    },
    "zh": {
        "label": "一张 H200 上，照法则改了以后的用时除以改之前的用时；"
        "依次是各种情形的最小值、几何平均和最大值。{rows}。",
        "row": "{name}：{0:.2f}、{1:.2f}、{2:.2f}", "join": "；",
        "left": "变快", "right": "变慢", "x": "改后用时 / 改前用时",
        "compile": "torch.compile，无掩码", "compile-causal": "torch.compile，因果",
        "flash-8k": "标准换成 FA2，$N$ = 8k",
        "flash-1k": "标准换成 FA2，$N$ = 1k",
        "decoding": "解码，32 个 KV 头减到 8", "tf32": "TF32，照公式写",
        "causal": "因果用标志", "keys": "每块 64 个键换成 128",
        "batch": "1 条序列换成 64 条", "gqa": "训练，减少 KV 头",
        "half": "bf16 换成 fp16", "narrower": "$d$ = 128 换成 80、96",
        "checkpoint": "梯度检查点", "tiles": "64² 的块换成 128²",
        "copy": "先拷贝视图", "bits": "逐位一致，本书",
        "empty": "清空缓存", "bits-efficient": "逐位一致，efficient",
        "pad": "1000 填充到 1024", "mask": "因果：标志换成掩码",
    },
}


def axis(say):
    """Ticks with their numbers, the line of no change, which side is which."""
    left = X(1 / 10)  # the ground of what is faster is green
    out = [s.rect(left, TOP - 6, X(1) - left, BOTTOM - TOP + 6, "tw-reg tw-bare")]
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
