"""What one head moves against the rows of a block of queries, both axes log."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line, scale

from tilewise import ledger

N, D = 1024, 64
LOW, HIGH = 10**5, 4 * 10**8  # elements moved
LEFT, RIGHT, TOP, BOTTOM = 46, 380, 34, 318
X, Y = scale(1, N, LEFT, RIGHT), scale(LOW, HIGH, BOTTOM, TOP)
EVEN = D // 2
MARKED = (1, 128)
SAY = {
    "en": {
        "label": "Elements that one head of N = {n} and d = {d} moves, against the"
        " queries B_r that share a load, both axes logarithmic. The curve falls as"
        " 1/B_r from {one} at B_r = 1 to {many} at B_r = 128 and meets the flat line"
        " of standard attention, {std}, at B_r = {even}.",
        "x": "$B_r$, queries per program", "y": "elements moved",
        "std": "standard attention:", "one": "one kernel, $B_r$ queries per program",
        "least": "$Q, K, V, O$ once: 4$Nd$", "even": "$B_r$ = $d$/2",
    },
    "zh": {
        "label": "一个头（N = {n}，d = {d}）搬运的元素个数，怎样随共享一次读取的"
        "查询个数 B_r 变化，两个坐标轴都是对数刻度。曲线与 1/B_r 成正比，从 B_r = 1 的"
        " {one} 降到 B_r = 128 的 {many}，在 B_r = {even} 处与标准注意力的水平线"
        "（{std}）相交。",
        "x": "$B_r$：每个程序实例的查询数", "y": "搬运的元素个数",
        "std": "标准注意力：", "one": "单个内核，每个程序实例 $B_r$ 个查询",
        "least": "$Q, K, V, O$ 各一遍：4$Nd$", "even": "$B_r$ = $d$/2",
    },
}


def moved(rows=None):
    """Elements read and written with blocks of this many queries, or in three steps."""
    if rows is None:
        count = ledger.standard_forward(N, D)
    else:
        count = ledger.flash2_forward(N, D, rows, 64)
    return count["reads"] + count["writes"]


def curves():
    """The exact count at powers of two, a line; standard attention, another."""
    rows = [2**n for n in range(N.bit_length())]
    points = [(X(r), Y(moved(r))) for r in rows]
    std = Y(moved())
    plain, tiled = map(methods.mark, ("standard", "flash2"))
    out = [line(f"{plain} tw-open", (LEFT, std), (RIGHT, std))]
    out.append(line(f"{tiled} tw-open", *points))
    for (x, y), r in zip(points, rows, strict=True):
        out.append(dot(x, y, tiled, 5 if r in MARKED else 3))
    return out


def axes(say):
    """Ticks, their numbers, titles."""
    out = [line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for rows in (1, 4, 16, 64, 256, 1024):
        x = X(rows)
        out.append(line("tw-line", (x, BOTTOM), (x, BOTTOM + 4)))
        out.append(s.middle(round(x), BOTTOM + 19, f"{rows}", "tw-small"))
    for power in (5, 6, 7, 8):
        y = Y(10**power)
        out.append(line("tw-line", (LEFT - 4, y), (LEFT, y)))
        name = f"$10^{power}$"
        out.append(s.text(LEFT - 6, round(y) + 5, name, "tw-small", "end"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def marks(say):
    """The two blocks of the page, where the lines meet, and what cannot be saved."""
    std, least, even = Y(moved()), Y(4 * N * D), X(EVEN)
    (one, first), (many, low) = ((X(r), Y(moved(r))) for r in MARKED)
    plain, tiled = map(methods.name, ("standard", "flash2"))
    return [
        line("tw-faint", (even, std), (even, BOTTOM), dashes="4 4"),
        s.text(round(even) - 6, BOTTOM - 40, say["even"], "tw-small", "end"),
        line("tw-faint", (LEFT, least), (RIGHT, least), dashes="1 4"),
        s.text(RIGHT, round(least) + 17, say["least"], "tw-small tw-muted", "end"),
        s.text(round(one) + 12, round(first) + 2, f"{moved(1):,}", f"tw-small {tiled}"),
        s.text(round(one) + 12, round(first) - 16, say["one"], tiled),
        s.text(round(many) + 9, round(low) - 4, f"{moved(128):,}", f"tw-small {tiled}"),
        s.text(RIGHT, round(std) - 26, say["std"], plain, "end"),
        s.text(RIGHT, round(std) - 8, f"{moved():,}", f"tw-small {plain}", "end"),
    ]


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    sizes = {"one": moved(1), "many": moved(128), "std": moved()}
    facts = {name: f"{size:,}" for name, size in sizes.items()}
    label = say["label"].format(n=N, d=D, even=EVEN, **facts)
    return s.svg(400, BOTTOM + 46, label, *axes(say), *curves(), *marks(say))
