"""Who owns what: three programs over a vector, four over the rows of a matrix."""

from draw.figures import _svg as s

N, BLOCK = 10, 4  # those of examples/triton_add.py
ROWS, COLS, PLACES = 4, 6, 8  # a matrix, and the power of two above its columns
PROGRAMS = -(-N // BLOCK)
CELL, WIDE, HIGH = 28, 35, 26  # a cell of the vector, of the matrix, their height
LEFT, GAP = 26, 8  # the first cell, and what parts two programs
SAY = {
    "en": {
        "label": "A vector of {n} numbers, cut into blocks of {b}: programs 0 to {last}"
        " own {b} places each, and the last {spare} places of program {last} are past"
        " the end and masked. Below, a matrix of {r} by {c}: one program per row, with"
        " {p} places, the last {pad} masked.",
        "vector": "{n} numbers in blocks of {b}: a grid of {g}",
        "matrix": "{r} × {c} numbers, one row each: a grid of {r}",
        "program": "program {i}", "hbm": "HBM",
        "past": "{a} and {z}: past the end, masked",
        "other": "masked: $−∞$ in their place",
    },
    "zh": {
        "label": "一个有 {n} 个数的向量，每块 {b} 个："
        "程序实例 0 到 {last} 各管 {b} 个位置，"
        "程序实例 {last} 的最后 {spare} 个位置越过了末尾，被掩码遮住。"
        "下面是 {r} 行 {c} 列的矩阵：每个程序实例管一行，有 {p} 个位置，"
        "最后 {pad} 个被掩码遮住。",
        "vector": "{n} 个数，每块 {b} 个：网格大小为 {g}",
        "matrix": "{r} × {c} 个数，每个程序实例一行：网格大小为 {r}",
        "program": "程序实例 {i}", "hbm": "HBM",
        "past": "{a} 和 {z} 越过末尾，被掩码遮住",
        "other": "被掩码遮住：以 $−∞$ 代替",
    },
}


def left(place):
    """Where the cell of a place in the vector begins."""
    return LEFT + CELL * place + GAP * (place // BLOCK)


def cell(x, y, content, cls, wide=CELL):
    """One place with what stands in it."""
    return [
        s.rect(x, y, wide, HIGH, cls),
        s.group(s.text(x + wide / 2, y + HIGH / 2 + 5, content), cls="tw-cells"),
    ]


def vector(y, say):
    """Programs above, HBM below, an arrow for each place that is not masked."""
    out = []
    for i in range(PROGRAMS):
        x, wide = left(i * BLOCK), CELL * BLOCK
        out.append(s.rect(x - 3, y, wide + 6, 56, "tw-reg", 'rx="6"'))
        out.append(s.middle(x + wide / 2, y + 18, say["program"].format(i=i)))
    out.append(s.rect(4, y + 92, 392, 56, "tw-hbm", 'rx="6"'))
    for place in range(PROGRAMS * BLOCK):
        x, kept = left(place), place < N
        out += cell(x, y + 26, str(place), "tw-paper" if kept else "tw-slot")
        if kept:
            out += cell(x, y + 98, str(place), "tw-paper")
            out.append(s.arrow(x + CELL / 2, y + 94, 0, -38, 1.5, "tw-dot", True))
    out.append(s.text(10, y + 142, say["hbm"], "tw-small tw-muted"))
    past = say["past"].format(a=N, z=PROGRAMS * BLOCK - 1)
    out.append(s.text(390, y + 142, past, "tw-small tw-muted", "end"))
    return out


def matrix(y, say):
    """Each row of a matrix is a program's; the number is the place in memory."""
    x, out = 110, []
    for i in range(ROWS):
        top = y + 36 * i
        out.append(s.rect(4, top - 4, 392, HIGH + 8, "tw-reg", 'rx="6"'))
        out.append(s.text(12, top + 18, say["program"].format(i=i)))
        for j in range(PLACES):
            kept = j < COLS
            what = str(i * COLS + j) if kept else "−∞"
            out += cell(x + WIDE * j, top, what, "tw-s" if kept else "tw-slot", WIDE)
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    facts = {"n": N, "b": BLOCK, "g": PROGRAMS, "r": ROWS, "c": COLS, "p": PLACES}
    facts |= {"last": PROGRAMS - 1, "spare": PROGRAMS * BLOCK - N, "pad": PLACES - COLS}
    parts = [s.text(4, 18, say["vector"].format(**facts), "tw-strong")]
    parts += vector(30, say)
    parts.append(s.text(4, 214, say["matrix"].format(**facts), "tw-strong"))
    parts += matrix(230, say)
    parts.append(s.text(396, 384, say["other"], "tw-small tw-muted", "end"))
    return s.svg(400, 392, say["label"].format(**facts), *parts)
