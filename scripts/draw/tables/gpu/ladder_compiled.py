"""What ptxas made of the forward rungs for an H200, d = 128."""

from draw.tables._rungs import NAMES, RUNGS, WARP, compiled, tile

SAY = {
    "en": {
        "head": ("rung", "threads", "registers", "spills", "shared", "fit"),
    },
    "zh": {
        "head": ("级", "线程", "寄存器", "溢出", "共享内存", "每 SM 驻留数"),
    },
}


def draw(lang):
    """A Markdown table, one kernel a row; the naive rung's three are left out."""
    say = SAY[lang]
    lines = [f"| {' | '.join(say['head'])} |", "|---" + "|--:" * 5 + "|"]
    for rung in RUNGS[1:]:
        (count,) = compiled(rung).values()
        cells = (
            NAMES[lang][rung], tile(rung)[2] * WARP,
            count["registers"], count["spills"],
            f"{count['shared'] / 1024:.0f}\u00a0KiB", count["programs"],
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
