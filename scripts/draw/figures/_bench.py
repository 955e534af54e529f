"""What `python -m tilewise bench` measured: the newest results, means over cells."""

import functools
import json
import os
import re
from pathlib import Path

from tilewise.bench.cells import DIMS, PEERS, SIZES, geometric
from tilewise.kernels import BACKWARD, FORWARD

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks/results"
TOP = {"forward": FORWARD[-1], "backward": BACKWARD[-1]}
PLAIN = {"forward": FORWARD[-2], "backward": BACKWARD[-2]}  # the best ones in Triton
SHORT = {  # as in tables and plots, in both languages
    "fa4": "FA4", "fa3": "FA3", "cudnn": "cuDNN", "flash": "FA2", "flex": "Flex",
    "efficient": "efficient", "math": "math",
}


LONG = {  # peers beside the rungs
    "flash": "FlashAttention-2", "flex": "FlexAttention", "cudnn": "cuDNN",
    "fa4": "FlashAttention-4", "fa3": "FlashAttention-3",
}
# in the order of tables; FlashAttention-3 was timed in one pass
COLUMNS = {"backward": ("cudnn", "fa4", "flash", "flex")}
COLUMNS["forward"] = ("cudnn", "fa4", "fa3", "flash", "flex")


def newest(kind, card="h200"):
    """The newest file of a kind in benchmarks/results: a date follows the card."""
    return max(RESULTS.glob(f"{card}-*-{kind}.json"), key=lambda path: path.name)


@functools.cache
def bench(kind="attention"):
    """The newest results of the bench, or those that TILEWISE_ATTENTION names.

    kind "rungs": of scripts/measure/ladder/rungs.py, or those that TILEWISE_RUNGS
    names.
    """
    path = os.environ.get(f"TILEWISE_{kind.upper()}") or newest(kind)
    return json.loads(Path(path).read_text("utf-8"))


@functools.cache
def tflops():
    """{(pass, kernel, n, d, causal): TFLOP/s} of what was timed."""
    keys = ("pass", "kernel", "n", "d", "causal")
    rows = (row for row in bench()["rows"] if "tflops" in row)
    return {tuple(row[key] for key in keys): row["tflops"] for row in rows}


def speeds(way, kernel, d=None):
    """{(n, d, causal): TFLOP/s} of a kernel in a pass; d None is both."""
    return {
        key[2:]: x
        for key, x in tflops().items()
        if key[:2] == (way, kernel) and d in (None, key[3])
    }


def mean(way, kernel, d=None):
    """The geometric mean of a kernel's TFLOP/s, None if a cell is missing."""
    found = speeds(way, kernel, d)
    whole = len(SIZES) * 2 * (len(DIMS) if d is None else 1)
    return geometric(found.values()) if len(found) == whole else None


def ratios(way, kernel, other, d=None):
    """{(n, d, causal): kernel's speed over the other's} where both were timed."""
    ours, theirs = speeds(way, kernel, d), speeds(way, other, d)
    return {cell: ours[cell] / theirs[cell] for cell in ours if cell in theirs}


def peers(way):
    """The peers that were timed in a pass, slowest first."""
    timed = [name for name in PEERS[way] if speeds(way, name)]
    return sorted(timed, key=lambda name: geometric(speeds(way, name).values()))


UNIT = re.compile(r"(?<=\d) (?=(?:[KMG]i?B|[mµ]?s)$)")  # between a number and its unit


def table(head, rows, left=1):
    """A Markdown table: its first `left` columns to the left, others to the right.

    No line breaks between a number and its unit.
    """
    rows = [[UNIT.sub("\u00a0", x) for x in row] for row in rows]
    marks = ["---"] * left + ["--:"] * (len(head) - left)
    lines = [" | ".join(head), "|".join(marks), *map(" | ".join, rows)]
    lines = [f"|{x}|" if n == 1 else f"| {x} |" for n, x in enumerate(lines)]
    return "\n".join(lines)
