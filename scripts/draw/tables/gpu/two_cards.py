"""The Gluon rungs over their peers on an H100, beside the same run on an H200."""

import json

from draw.figures import _bench as bench

from tilewise.bench.cells import PASSES, geometric

PEERS = ("flash", "flex", "cudnn", "fa4")
SAY = {
    "en": ("over", "mean", "worst", "forward", "backward"),
    "zh": ("对比", "平均", "最差", "前向", "反向"),
}


def rows(card):
    """The rows of the newest bench on a card."""
    return json.loads(bench.newest("attention", card).read_text("utf-8"))["rows"]


def ratios(card, way, other):
    """{(n, d, causal): the speed of the Gluon rung over another's} on a card."""
    speeds = {
        (row["kernel"], row["n"], row["d"], row["causal"]): row["tflops"]
        for row in rows(card)
        if row["pass"] == way and "tflops" in row
    }
    top = bench.TOP[way]
    cells = [key[1:] for key in speeds if key[0] == top]
    return {c: speeds[top, *c] / speeds[other, *c] for c in cells}


def draw(lang):
    """A Markdown table: a line for each peer and pass, mean and worst of each card."""
    over, mean, worst, *ways = SAY[lang]
    sep = ", " if lang == "en" else "，"
    head = [over, *(f"{c}{sep}{x}" for c in ("H200", "H100") for x in (mean, worst))]
    lines = []
    for way, say in zip(PASSES, ways, strict=True):
        for other in PEERS:
            cells = [ratios(card, way, other).values() for card in ("h200", "h100")]
            told = [f"{x:.2f}" for c in cells for x in (geometric(c), min(c))]
            lines.append([f"{bench.LONG[other]}{sep}{say}", *told])
    return bench.table(head, lines)
