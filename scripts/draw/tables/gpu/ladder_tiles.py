"""Pointers against descriptors with the same tile, and both tiles of either.

Bold: what a rung takes, pointers with the tile of the one, descriptors of the other.
"""

from draw.tables._rungs import NAMES, tile
from draw.tables.gpu.ladder_instructions import loop, per_score

PAIR = ("causal", "descriptors")
SAY = {
    "en": ("dim $d$", "tile of rung", "registers", "spills", "per score"),
    "zh": ("维度 $d$", "哪一级的块", "寄存器", "溢出", "每个分数"),
}


def cells(d, whose):
    """Registers, spills, instructions a score with the tile of a rung."""
    for rung in PAIR:
        row = loop(rung, 0, d, whose)
        yield row["registers"], row["spills"], f"{per_score(row):.1f}"


def draw(lang):
    """A Markdown table: pointers → descriptors."""
    lines = [f"| {' | '.join(SAY[lang])} |", "|--:|---" + "|--:" * 3 + "|"]
    for d in (64, 128):
        for whose in PAIR:
            block = "{}\u00a0×\u00a0{}".format(*tile(whose, d))
            comma = ", " if lang == "en" else "，"
            block = f"{NAMES[lang][whose]}{comma}{block}"
            pairs = zip(*cells(d, whose), strict=True)
            arrow = "**{}**→{}" if whose == PAIR[0] else "{}→**{}**"
            found = " | ".join(arrow.format(*x) for x in pairs)
            lines.append(f"| {d} | {block} | {found} |")
    return "\n".join(lines)
