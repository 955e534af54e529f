"""Measured times of causal windows over those that the tiles suggest, on an H200."""

from draw.numbers.windows import N, expected
from draw.tables.gpu.window_time import NAMES, times

KEYS = {"en": "keys", "zh": "键"}


def draw(lang):
    """A Markdown table: the least and the most over two passes and two d."""
    ms = times()
    lines = [f"| {' | '.join((KEYS[lang], *NAMES.values()))} |"]
    lines += ["|--:|" + len(NAMES) * ":-:|"]
    for window in sorted({x[3] for x in ms} - {N}):
        line = [f"{window}"]
        for name in NAMES:
            cells = [x[:3] for x in ms if (x[0], x[3]) == (name, window)]
            over = [ms[*x, window] / expected(ms, x, window) for x in cells]
            line.append(f"{min(over):.2f}–{max(over):.2f}" if over else "–")
        lines.append(f"| {' | '.join(line)} |")
    return "\n".join(lines)
