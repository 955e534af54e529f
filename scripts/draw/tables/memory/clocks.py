"""TFLOP/s by three clocks: stopped at the return, after one call, in a CUDA graph."""

from draw.figures._svg import count
from draw.tables._practices import NAMES, rows

CALLS = (("ours", 16384), ("flash", 1024))
SAY = {
    "en": {
        "head": (
            "TFLOP/s, forward { .tw-above }", "stopped when the call returns",
            "synchronised after one call", "many calls in a CUDA graph",
        ),
        "ours": "ours", "row": "{}, $N$ = {}k",
    },
    "zh": {
        "head": (
            "TFLOP/s，前向 { .tw-above }", "调用一返回就停表",
            "调用一次，同步后停表", "在 CUDA 图里调用许多次",
        ),
        "ours": "本书", "row": "{}，$N$ = {}k",
    },
}


def speeds(what, n):
    """TFLOP/s of a kernel at d = 128 by the three clocks."""
    (clock,) = rows("clocks", what=what, n=n)
    which = {"what": f"{what}, bfloat16", "n": n, "d": 128, "pass": "forward"}
    (graph,) = rows("formats", **which)
    return clock["tflops_returned"], clock["tflops"], graph["tflops"]


def lines(say):
    """A line for each call."""
    for what, n in CALLS:
        name = say["row"].format(NAMES.get(what) or say[what], n // 1024)
        yield name, *(count(round(x)) for x in speeds(what, n))
