"""Packed documents of one length: the speed over that of kernels that know it."""

from draw.figures._bench import table
from draw.tables._varlen import ratios

from tilewise.bench.cells import PASSES

SAY = {
    "en": {
        "head": ("documents", "forward", "causal", "backward", "causal"),
        "row": "$d$ = {}, {} × {:,}",
    },
    "zh": {
        "head": ("文档", "前向", "因果", "反向", "因果"),
        "row": "$d$ = {}，{} × {:,}",
    },
}
TOTAL = 16384


def draw(lang):
    """A Markdown table, a row for each d and length; 1.00 is as fast."""
    say, found = SAY[lang], {way: ratios(way) for way in PASSES}
    rows = []
    for d, n, _ in [at for at in found["forward"] if not at[2]]:
        cells = [found[way][d, n, causal] for way in PASSES for causal in (False, True)]
        name = say["row"].format(d, TOTAL // n, n)
        rows.append([name, *(f"{x:.2f}" for x in cells)])
    return table(say["head"], rows)
