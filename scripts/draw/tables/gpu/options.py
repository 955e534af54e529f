"""What options cost: time over that of the plain causal kernels, on an H200."""

import json

from draw.figures import _bench as bench

N, DIMS, WAYS = 16384, (64, 128), ("forward", "backward")
SAY = {
    "en": {
        "head": (
            "option { .tw-above }",
            "$d$ = 64, forward",
            "backward",
            "$d$ = 128, forward",
            "backward",
        ),
        "plain": "kernel without options",
        "none": "kernel with options, none used",
        "window 1024": "window of 1024 keys",
        "window 4096": "window of 4096 keys",
        "sinks": "sink",
        "alibi": "ALiBi",
        "softcap": "softcap",
        "dropout": "dropout",
    },
    "zh": {
        "head": (
            "选项 { .tw-above }",
            "$d$ = 64，前向",
            "反向",
            "$d$ = 128，前向",
            "反向",
        ),
        "plain": "不带选项的内核",
        "none": "带选项的内核，但不用任何选项",
        "window 1024": "窗口，1024 个键",
        "window 4096": "窗口，4096 个键",
        "sinks": "sink",
        "alibi": "ALiBi",
        "softcap": "softcap",
        "dropout": "dropout",
    },
}


def lines(say):
    """Ratios of the median times; the plain kernel has 1."""
    rows = json.loads(bench.newest("options").read_text("utf-8"))["rows"]
    ms = {(x["pass"], x["option"], x["d"]): x["ms"] for x in rows if x["n"] == N}
    for option in [*say][1:]:
        keys = [(way, d) for d in DIMS for way in WAYS]
        cells = [ms[way, option, d] / ms[way, "plain", d] for way, d in keys]
        yield say[option], *(f"{x:.2f}" for x in cells)
