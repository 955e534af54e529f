"""What ptxas made of the forward rungs for an H200, d = 128."""

from draw.tables._rungs import RUNGS, compiled

SAY = {
    "en": {
        "head": ("rung", "registers", "spills", "shared", "fit"),
        "names": ("FA1 order", "FA2 order", "base 2", "skipping", "descriptors"),
    },
    "zh": {
        "head": ("梯级", "寄存器", "溢出", "共享内存", "同驻"),
        "names": ("FA1 次序", "FA2 次序", "底数 2", "跳过空块", "描述符"),
    },
}


def draw(lang):
    """A Markdown table, one kernel a row; the naive rung's three are left out."""
    say = SAY[lang]
    lines = [f"| {' | '.join(say['head'])} |", "|---" + "|--:" * 4 + "|"]
    for rung, name in zip(RUNGS[1:], say["names"], strict=True):
        (count,) = compiled(rung).values()
        cells = (
            name, count["registers"], count["spills"],
            f"{count['shared'] / 1024:.0f}\u00a0KiB", count["programs"],
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
