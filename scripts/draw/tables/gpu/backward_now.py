"""The Gluon backward kernel over its peers before it loaded L early, and now."""

import json

from draw.figures import _bench as bench

from tilewise.bench.cells import DIMS, geometric

PEERS = ("cudnn", "flash", "flex")
SAY = {
    "en": ("over", "$d$ = 64", "$d$ = 128", "worst", ", before", ", now"),
    "zh": ("对比", "$d$ = 64", "$d$ = 128", "最差", "，改动前", "，现在"),
}


def later():
    """The rows of the run without FlashAttention-4, of the kernel as it is."""
    path = bench.newest("attention-without-fa4")
    return json.loads(path.read_text("utf-8"))["rows"]


def ratios(rows, kernel, other):
    """{(n, d, causal): the speed of a kernel over another's, backward} in rows."""
    speeds = {
        (row["kernel"], row["n"], row["d"], row["causal"]): row["tflops"]
        for row in rows
        if row["pass"] == "backward" and "tflops" in row
    }
    cells = [key[1:] for key in speeds if key[0] == kernel]
    return {c: speeds[kernel, *c] / speeds[other, *c] for c in cells}


def estimate():
    """{cell: ours as it is over FlashAttention-4}, by way of cuDNN.

    Each factor is of one run; cuDNN took part in both.
    """
    ours = ratios(later(), bench.TOP["backward"], "cudnn")
    theirs = ratios(bench.bench()["rows"], "fa4", "cudnn")
    return {cell: ours[cell] / theirs[cell] for cell in ours}


def by_dim(cells):
    """The geometric mean for each head dimension of {cell: ratio}."""
    return [geometric(x for c, x in cells.items() if c[1] == d) for d in DIMS]


def line(cells):
    """Two means and the worst cell, as text."""
    return [f"{x:.2f}" for x in (*by_dim(cells), min(cells.values()))]


def draw(lang):
    """A Markdown table: two lines a peer, each within a run of its own."""
    *head, before, now = SAY[lang]
    top = bench.TOP["backward"]
    rows = [
        [bench.LONG[other] + when, *line(ratios(run, top, other))]
        for other in PEERS
        for run, when in ((bench.bench()["rows"], before), (later(), now))
    ]
    return bench.table(head, rows)
