"""Many programs that each load K and V, and a few that share what they load."""

from draw.figures import _svg as s

QUERIES, WIDE, HBM = 8, 400, 46  # HBM's width and height
ROW, GAP, TOP, WAY = 11, 3, 54, 42  # a row of q; where SRAM begins; the arrows' way
SAY = {
    "en": {
        "label": "Eight queries, twice. Above, eight programs with one query each:"
        " arrows for K and V lead from HBM to every program, eight times. Below, two"
        " programs with four queries each: K and V are loaded twice.",
        "heads": {1: "one query per program", 4: "four queries per program"},
        "times": {1: "$K$ and $V$ cross eight times", 4: "$K$ and $V$ cross twice"},
        "legend": ("query", "its state"),
    },
    "zh": {
        "label": "同样的八个查询，两种做法。上面是八个程序实例，各负责一个查询，"
        "每个都从 HBM 读一遍 K 和 V，一共八遍；下面是两个程序实例，各负责四个查询，"
        "K 和 V 只读两遍。",
        "heads": {1: "每个程序实例一个查询", 4: "每个程序实例四个查询"},
        "times": {1: "$K$、$V$ 读八遍", 4: "$K$、$V$ 只读两遍"},
        "legend": ("查询", "它的状态"),
    },
}


def box(rows):
    """Width and height of the SRAM of a program."""
    return 42 if rows == 1 else 96, rows * (ROW + GAP) + 9


def program(x, top, rows):
    """SRAM with its queries and their states, centred at x, and its two loads."""
    wide, high = box(rows)
    left, half = x - wide / 2, (wide - 16) / 2
    out = [s.rect(left, top, wide, high, "tw-sram", 'rx="4"')]
    for n in range(rows):
        y = top + 6 + n * (ROW + GAP)
        out.append(s.rect(left + 6, y, half, ROW, "tw-q"))
        out.append(s.rect(left + wide - 6 - half, y, half, ROW, "tw-o"))
    for shift, css in ((-9, "tw-k"), (9, "tw-v")):
        out.append(s.arrow(x + shift, top + high + WAY, 0, 4 - WAY, 5, css))
    return s.group(*out)


def panel(top, rows, say):
    """HBM with K and V, and one program for each block of `rows` queries."""
    slab = top + TOP + box(rows)[1] + WAY
    out = [s.text(2, top + 18, say["heads"][rows], "tw-strong")]
    out.append(s.text(2, top + 40, say["times"][rows]))
    out.append(s.rect(1, slab, WIDE - 2, HBM, "tw-hbm"))
    out.append(s.text(10, slab + 29, "HBM", "tw-muted"))
    for x, name in ((62, "k"), (230, "v")):
        out.append(s.rect(x, slab + 11, 160, 24, f"tw-{name}"))
        out.append(s.middle(x + 80, slab + 28, f"${name.upper()}$", f"tw-t{name}"))
    step = WIDE * rows / QUERIES
    for n in range(QUERIES // rows):
        out.append(program(step * (n + 0.5), top + TOP, rows))
    return out, slab + HBM


def legend(say):
    """What the two colours on the chip are."""
    out = []
    for x, css, word in zip((252, 324), "qo", say["legend"], strict=True):
        out.append(s.rect(x, 30, 12, ROW, f"tw-{css}"))
        out.append(s.text(x + 17, 40, word, f"tw-small tw-t{css}"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    above, end = panel(0, 1, say)
    below, end = panel(end + 24, 4, say)
    return s.svg(WIDE, end + 2, say["label"], *above, *legend(say), *below)
