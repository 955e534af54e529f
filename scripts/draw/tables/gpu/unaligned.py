"""Shapes that are no whole tiles: their time over that of the next aligned shape.

Beside it, the same quotient for the operations of the two shapes.
"""

import math

from draw.figures._bench import TOP, bench
from draw.figures._svg import count

from tilewise.bench.cells import PASSES

SAY = {
    "en": {
        "head": (
            "shape { .tw-above }", "operations", "forward", "causal", "backward",
            "causal",
        ),
        "N 1000, 4000": "1000 queries, 4000 keys",
        "N 4000, 1000": "4000 queries, 1000 keys",
        "heads 16, 4": "16 heads, 4 KV heads", "heads 16, 1": "16 heads, 1 KV head",
    },
    "zh": {
        "head": ("形状 { .tw-above }", "运算量", "前向", "因果", "反向", "因果"),
        "N 1000, 4000": "1000 个查询，4000 个键",
        "N 4000, 1000": "4000 个查询，1000 个键",
        "heads 16, 4": "16 个头，4 个 KV 头", "heads 16, 1": "16 个头，1 个 KV 头",
    },
}


def name(what, say):
    """The name of a shape: N 1000 is $N$ = 1000."""
    if what in say:
        return say[what]
    letter, number = what.split()
    return f"${letter}$ = {count(int(number))}"


def work(shape):
    """What the operations are proportional to, with and without a causal mask."""
    return math.prod(shape[x] for x in ("batch", "heads", "n", "n_k", "d"))


def lines(say):
    """Ratios of the top rungs; 1.00 is as fast as aligned."""
    found, whats = {}, {}
    for row in bench()["unaligned"]:
        whats[row["what"]] = work(row) / work(row["next"])
        if row["kernel"] == TOP[row["pass"]] and "ratio" in row:
            found[row["what"], row["pass"], row["causal"]] = row["ratio"]
    for what, share in whats.items():
        keys = [(what, way, causal) for way in PASSES for causal in (False, True)]
        cells = [f"{found[key]:.2f}" if key in found else "–" for key in keys]
        yield name(what, say), f"{share:.2f}", *cells
