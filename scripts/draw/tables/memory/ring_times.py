"""Ring attention on one GPU and on two, beside PyTorch's context parallelism."""

import json

from draw.figures._bench import newest, table
from draw.figures._svg import count

SHAPE = "16 heads of 128"
WAYS = (  # number of GPUs, way
    (1, "ring"), (2, "ring"), (2, "ring_first"),
    (1, "torch_allgather"), (2, "torch_allgather"), (2, "torch_alltoall"),
)
SAY = {
    "en": ("ours, one GPU", "two", "two, without overlap",
           "PyTorch, one GPU", "two, all at once", "two, step by step"),
    "zh": ("本书，一个 GPU", "两个", "两个，不重叠", "PyTorch，一个 GPU",
           "两个，一次收齐", "两个，逐步传递"),
}


def found():
    """The newest results."""
    return json.loads(newest("ring").read_text("utf-8"))


def times(shape=SHAPE):
    """{(number of GPUs, way, N): ms}, forward and backward."""
    rows = (row for row in found()["rows"] if row["shape"] == shape and "ms" in row)
    return {(row["world"], row["way"], row["n"]): row["ms"] for row in rows}


def gain(n, shape=SHAPE):
    """How many times as fast two GPUs are as one."""
    ms = times(shape)
    return ms[1, "ring", n] / ms[2, "ring", n]


def say(ms):
    """Milliseconds with four digits or one behind the point; a dash for None."""
    return "–" if ms is None else f"{ms:.1f}" if ms < 1000 else count(round(ms))


def draw(lang):
    """A Markdown table in ms with one row for each N."""
    ms, lines = times(), []
    for n in sorted({n for *_, n in ms}):
        if (1, "ring", n) in ms and (2, "ring", n) in ms:
            cells = [say(ms.get((*way, n))) for way in WAYS]
            lines.append([count(n), *cells])
    return table(["$N$ { .tw-above }", *SAY[lang]], lines, left=0)
