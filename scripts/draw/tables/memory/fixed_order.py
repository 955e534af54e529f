"""What the same bits every time cost backward: times over those in any order."""

from draw.figures._bench import table
from draw.tables import _order as one_order
from draw.tables._practices import NAMES, SIZES, fixed

KERNELS = ("flash", "efficient", "ours", "math")
SAY = {
    "en": {
        "head": "fixed order / any order", "ours": "ours",
        "efficient": "memory-efficient", "math": "standard attention",
        "span": "{} to {}",
    },
    "zh": {
        "head": "固定顺序 / 任意顺序", "ours": "本书", "efficient": "memory-efficient",
        "math": "标准注意力", "span": "{} 到 {}",
    },
}


def span(say, *ends):
    """Least and most, once where they are the same."""
    least, most = (f"{x:.2f}" for x in ends)
    return least if least == most else say["span"].format(least, most)


def times(kernel, n):
    """The ratios of a kernel at N; ours in one walk, which a later run timed."""
    if kernel == "ours":
        return [x for cell, x in one_order.turns().items() if cell[0] == n]
    return fixed(kernel, [n])


def draw(lang):
    """A Markdown table: least and most by N, of two d, causal and not."""
    say, lines = SAY[lang], []
    for kernel in KERNELS:
        found = [times(kernel, n) for n in SIZES]
        cells = [span(say, min(x), max(x)) for x in found]
        lines.append([NAMES.get(kernel) or say[kernel], *cells])
    return table([say["head"], *(f"$N$ = {n // 1024}k" for n in SIZES)], lines)
