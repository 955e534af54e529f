"""Views with strides: as they are over contiguous ones, and copied in each call."""

from draw.figures._bench import table
from draw.tables._practices import FUSED, NAMES, SIZES, viewed
from draw.tables.memory.fixed_order import span

SAY = {
    "en": {
        "head": (
            "forward { .tw-above }", "view / contiguous", "copied / view, $N$ = {}k",
        ),
        "ours": "ours", "span": "{} to {}",
    },
    "zh": {
        "head": ("前向 { .tw-above }", "视图 / 连续", "拷贝 / 视图，$N$ = {}k"),
        "ours": "本书", "span": "{} 到 {}",
    },
}


def draw(lang):
    """A Markdown table with a row for each kernel."""
    say, lines = SAY[lang], []
    for kernel in FUSED:
        copies = [viewed(kernel, "view copied", "view", [n]) for n in SIZES]
        spans = [span(say, min(x), max(x)) for x in (viewed(kernel), *copies)]
        lines.append([NAMES.get(kernel) or say[kernel], *spans])
    first, second, third = say["head"]
    return table([first, second, *(third.format(n // 1024) for n in SIZES)], lines)
