"""What ptxas made of the forward rungs for an H200, d = 128."""

from draw.tables._rungs import NAMES, RUNGS, compiled

SAY = {
    "en": {
        "head": ("rung", "registers", "spills", "shared", "fit"),
    },
    "zh": {
        "head": ("级", "寄存器", "溢出", "共享内存", "每 SM 驻留数"),
    },
}


def draw(lang):
    """A Markdown table, one kernel a row; the naive rung's three are left out."""
    say = SAY[lang]
    lines = [f"| {' | '.join(say['head'])} |", "|---" + "|--:" * 4 + "|"]
    for rung in RUNGS[1:]:
        (count,) = compiled(rung).values()
        cells = (
            NAMES[lang][rung], count["registers"], count["spills"],
            f"{count['shared'] / 1024:.0f}\u00a0KiB", count["programs"],
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
