"""A prompt is a forward pass: FlashAttention-2 over standard attention."""

from draw.figures._bench import table
from draw.tables._rules import flash

from tilewise.bench.cells import DIMS

LENGTHS = (1024, 8192)
HEAD = {
    "en": "FlashAttention-2 / standard attention, forward",
    "zh": "FlashAttention-2 / 标准注意力，前向",
}


def draw(lang):
    """A Markdown table with a row for each length."""
    lines = [[f"$N$ = {n}", *(f"{x:.2f}" for x in flash(n))] for n in LENGTHS]
    return table([HEAD[lang], *(f"$d$ = {d}" for d in DIMS)], lines)
