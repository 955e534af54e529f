"""Who owns dQ: one walk in which all programs add to it, or a second walk by rows."""

from draw.figures import _svg as s

T, CELL = 4, 32  # blocks of rows, and of keys
SIDE, STEP = T * CELL, 186  # a grid's side, distance of two grids
ONE, FIRST, SECOND = 5, 4, 3  # products in a tile
SAY = {
    "en": {
        "label": "A grid of four blocks of queries by four of keys, three times. In one"
        " walk each program goes down a column, keeps dK and dV, and adds to all four"
        " blocks of dQ: five products a tile, each block of dQ written by four"
        " programs. In two walks, one goes down the columns for dK and dV with four"
        " products, one along the rows for dQ with three, and every block is written"
        " by one program.",
        "one": "One walk", "two": "Two walks: by columns,", "three": "and by rows",
        "count": "{tiles} tiles × {each} = {all} products",
        "add": ["each d$Q_i$ is", "added to by", "{n} programs"],
        "sum": [
            "{tiles} tiles × ({a} + {b})", "= {all} products,",
            "each block written once",
        ],
    },
    "zh": {
        "label": "四个查询块乘四个键块的网格，画了三次。走一遍：每个程序沿一列往下走，"
        "留住 dK 和 dV，并往 dQ 的四个块里加；每块五次矩阵乘法，"
        "dQ 的每个块由四个程序写。走两遍：一遍沿列，求 dK 和 dV，"
        "每块四次乘法；一遍沿行，求 dQ，每块三次乘法；每个块只由一个程序写。",
        "one": "走一遍", "two": "走两遍：一遍沿列，", "three": "一遍沿行",
        "count": "{tiles} 块 × {each} = {all} 次乘法",
        "add": ["每个 d$Q_i$", "由 {n} 个程序", "往里加"],
        "sum": ["{tiles} 块 ×（{a} + {b}）", "= {all} 次乘法，", "每个块只写一次"],
    },
}


def arrow(x, y, dx, dy):
    """A program's way through its tiles."""
    tip = "l-5 -8h10z" if dy else "l-8 -5v10z"
    end = f"M{x + dx} {y + dy}{tip}"
    line = f"M{x} {y}" + (f"v{dy - 7}" if dy else f"h{dx - 7}")
    return s.path(line, "tw-way") + s.path(end, "tw-dot")


def tiles(x, y, each):
    """The grid of scores, with the number of products in every tile."""
    out = [s.grid(x, y, T, T, "tw-s", CELL, CELL)]
    for n in range(T):
        middle = (n + 0.5) * CELL + 5
        out.append(s.text(x - 5, y + middle, f"$Q_{n + 1}$", "tw-tq", "end"))
        out.append(s.middle(x + middle - 5, y - 6, f"$K_{n + 1}$", "tw-tk"))
        out += [
            s.text(x + m * CELL + 4, y + n * CELL + 15, str(each), "tw-small tw-muted")
            for m in range(T)
        ]
    return out


def columns(x, y):
    """A program a column, and the two sums that it keeps."""
    out, end = [], y + SIDE + 6
    for n in range(T):
        left = x + n * CELL
        out.append(arrow(left + 20, y + 5, 0, SIDE - 10))
        for m, (name, css) in enumerate((("d$K$", "k"), ("d$V$", "v"))):
            out.append(s.rect(left + 2, end + 25 * m, 28, 22, f"tw-{css}", 'rx="3"'))
            out.append(
                s.middle(left + 16, end + 25 * m + 16, name, f"tw-t{css} tw-small")
            )
    return out


def rows(x, y, way):
    """dQ beside the grid: one program a row, or additions from every tile."""
    out = []
    for n in range(T):
        top = y + n * CELL
        out.append(s.rect(x + SIDE + 14, top + 4, 34, 24, "tw-q", 'rx="3"'))
        out.append(s.middle(x + SIDE + 31, top + 21, f"d$Q_{n + 1}$", "tw-tq tw-small"))
        out.append(s.arrow(x + SIDE + 1, top + 16, 12, 0, 4, "tw-q"))
        if way:
            out.append(arrow(x + 5, top + 20, SIDE - 10, 0))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, x, y, low = SAY[lang], 30, 48, 290
    parts = [s.text(1, 18, say["one"], "tw-strong")]
    parts += tiles(x, y, ONE) + columns(x, y) + rows(x, y, False)
    words = [line.format(n=T) for line in say["add"]]
    parts += s.lines(x + SIDE + 62, y + 32, 20, words)
    total = say["count"].format(tiles=T * T, each=ONE, all=T * T * ONE)
    parts.append(s.text(x + SIDE + 14, y + SIDE + 36, total))
    parts.append(s.text(1, low - 30, say["two"], "tw-strong"))
    parts.append(s.text(x + STEP, low - 30, say["three"], "tw-strong"))
    parts += tiles(x, low, FIRST) + columns(x, low)
    parts += tiles(x + STEP, low, SECOND) + rows(x + STEP, low, True)
    total = T * T * (FIRST + SECOND)
    given = {"tiles": T * T, "a": FIRST, "b": SECOND, "all": total}
    words = [line.format(**given) for line in say["sum"]]
    parts += s.lines(x + SIDE + 14, low + SIDE + 24, 19, words)
    return s.svg(400, low + SIDE + 70, say["label"], *parts)
