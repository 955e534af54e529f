"""Packed documents of one length: the speed over that of kernels that know it."""

from draw.figures._svg import count
from draw.tables._varlen import ratios

from tilewise.bench.cells import PASSES

SAY = {
    "en": {
        "head": ("documents { .tw-above }", "forward", "forward, causal", "backward",
                 "backward, causal"),
        "row": "$d$ = {}, {} × {}",
    },
    "zh": {
        "head": ("文档 { .tw-above }", "前向", "前向，因果", "反向", "反向，因果"),
        "row": "$d$ = {}，{} × {}",
    },
}
TOTAL = 16384


def lines(say):
    """A line for each d and length; 1.00 is as fast."""
    found = {way: ratios(way) for way in PASSES}
    for d, n, _ in [at for at in found["forward"] if not at[2]]:
        cells = [found[way][d, n, causal] for way in PASSES for causal in (False, True)]
        yield say["row"].format(d, TOTAL // n, count(n)), *(f"{x:.2f}" for x in cells)
