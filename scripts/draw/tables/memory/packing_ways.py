"""How full rows are, and what attention costs, for ways to put documents in rows."""

import json
import math
from pathlib import Path

from draw.figures._svg import count

ROOT = Path(__file__).resolve().parents[4]
RESULTS = ROOT / "benchmarks/results/cpu-2026-11-22-packing.json"
NAMES = ("log_normal", "functions")
SAY = {
    "en": {
        "head": ["", "log-normal: filled { .tw-line }", "attention",
                 "Python functions: filled", "attention"],
        "to_size": "padded to a whole row",
        "to_longest": "padded to the longest of 32",
        "sorted": "the same, sorted before",
        "powers": "padded to a power of two",
        "in_order": "packed in order", "decreasing": "packed by first fit decreasing",
        "look_ahead_1": "the same, reading 1 row ahead",
        "look_ahead_64": "the same, reading 64 rows ahead",
        "no_borders": "packed, without borders",
        "chopped": "end to end, cut at row ends",
    },
    "zh": {
        "head": ["", "对数正态：利用率 { .tw-line }", "注意力",
                 "Python 函数：利用率", "注意力"],
        "to_size": "填充到一整行", "to_longest": "填充到 32 篇里最长的",
        "sorted": "同上，先排序", "powers": "填充到 2 的幂",
        "in_order": "按原顺序打包", "decreasing": "按首次适应递减打包",
        "look_ahead_1": "同上，边读边打包，预读 1 行",
        "look_ahead_64": "同上，边读边打包，预读 64 行",
        "no_borders": "打包，不设边界", "chopped": "首尾相接，按行切断",
    },
}


def found():
    """{(collection, way): row of the measurement}."""
    data = json.loads(RESULTS.read_text("utf-8"))
    return {(row["documents"], row["way"]): row for row in data["rows"]}


def share(x):
    """A share in percent, never rounded up to a whole that it is not."""
    return f"{math.floor(1e4 * x) / 100:.2f}%" if x > 0.99 else f"{100 * x:.1f}%"


def times(x):
    """A ratio with three digits."""
    if x >= 99.5:
        return count(round(x))
    return f"{float(f'{x:.3g}'):.{1 if x >= 9.95 else 2}f}"


SHOWN = ((share, "fill"), (times, "work"))


def lines(say):
    """A line for each way."""
    rows = found()
    for way in list(say)[1:]:
        both = [rows[name, way] for name in NAMES]
        cells = [f(row[key]) for row in both for f, key in SHOWN]
        yield say[way], *cells
