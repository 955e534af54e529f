"""Amdahl's law against measured decoder layers: training in the shape of Llama 3 8B."""

import json
from collections import defaultdict

from draw.figures import _bench as bench

MODEL = "Llama 3 8B"
SAY = {
    "en": {
        "head": (
            "\\(N\\) { .tw-above }",
            "share of standard",
            "factor by law",
            "factor timed",
            "share of PyTorch's",
            "factor by law",
            "factor timed",
        ),
        "none": "does not fit",
    },
    "zh": {
        "head": (
            "\\(N\\) { .tw-above }",
            "标准注意力的占比",
            "预言的倍数",
            "实测的倍数",
            "PyTorch 函数的占比",
            "预言的倍数",
            "实测的倍数",
        ),
        "none": "放不下",
    },
}


def cells(model=MODEL, mode="training"):
    """{N: {attention: row}} of what was measured."""
    text = bench.newest("models", "h100").read_text("utf-8")
    table = defaultdict(dict)
    for row in json.loads(text)["rows"]:
        if row["model"] == model and row["mode"] == mode:
            table[row["n"]][row["attention"]] = row
    return table


def share(cell, name):
    """The part of the time that goes when there is no attention."""
    return 1 - cell["none"]["ms"] / cell[name]["ms"]


def law(cell, name, other="ours"):
    """1 / (1 − a + a/s): how much faster `other` makes the whole, by Amdahl's law."""
    a, faster = (
        share(cell, name),
        cell[name]["attention_ms"] / cell[other]["attention_ms"],
    )
    return 1 / (1 - a + a / faster)


def measured(cell, name, other="ours"):
    """How much faster `other` makes the whole."""
    return cell[name]["ms"] / cell[other]["ms"]


def lines(say):
    """A line for each N: against standard attention, and against PyTorch's function."""
    for n, cell in cells().items():
        words = [f"{n:,}" if n >= 10000 else f"{n}"]
        for name in ("standard", "pytorch"):
            if cell[name]["ms"] is None:
                words += [say["none"], "–", "–"]
                continue
            words.append(f"{100 * share(cell, name):.0f}%")
            words += [f"{f(cell, name):.2f}" for f in (law, measured)]
        yield words
