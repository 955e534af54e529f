"""Attention at N = 64: time of fused kernels over that of standard attention."""

from itertools import product

from draw.figures._bench import SHORT, table
from draw.figures.memory.short_sequences import ratio

from tilewise.bench.cells import DIMS, PASSES

N, KERNELS = 64, ("ours", "cudnn", "flash", "efficient")
SAY = {
    "en": {
        "head": "$N$ = 64, time over standard attention", "ours": "ours",
        "efficient": "memory-efficient", "row": "{way}, $d$ = {d}",
        "forward": "forward", "backward": "backward",
    },
    "zh": {
        "head": "$N$ = 64，用时除以标准注意力的用时", "ours": "本书",
        "efficient": "memory-efficient", "row": "{way}，$d$ = {d}",
        "forward": "前向", "backward": "反向",
    },
}


def draw(lang):
    """A Markdown table with a row for each pass and head dimension."""
    say = SAY[lang]
    names = [say.get(x) or SHORT[x] for x in KERNELS]
    lines = [
        [
            say["row"].format(way=say[way], d=d),
            *(f"{ratio(kernel, way, N, d):.2f}" for kernel in KERNELS),
        ]
        for way, d in product(PASSES, DIMS)
    ]
    return table([say["head"], *names], lines)
