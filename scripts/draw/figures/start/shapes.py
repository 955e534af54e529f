"""The matrices of attention with their shapes, and one tile (i, j) in each."""

from draw.figures import _svg as s

LONG, SHORT, TOP = 112, 44, 40  # N and d on paper, and where matrices begin
ROW, COL, HIGH, WIDE = 28, 56, 28, 28  # where the tile begins in N × N, and its size
SAY = {
    "en": {
        "label": "Q, N by d, times K transposed, d by N, gives S and P, N by N; P times"
        " V, N by d, gives O, N by d. A tile of S takes B_r rows of Q and O, and B_c"
        " columns of K transposed, which are B_c rows of V.",
        "rows": "$B_r$ rows",
        "cols": "$B_c$ columns",
    },
    "zh": {
        "label": "Q（N × d）乘 K 的转置（d × N）得到 S 和 P（N × N），"
        "P 乘 V（N × d）得到 O（N × d）。S 的一块对应 Q 和 O 的 B_r 行，"
        "以及 K 的转置的 B_c 列，也就是 V 的 B_c 行。",
        "rows": "$B_r$ 行",
        "cols": "$B_c$ 列",
    },
}


def matrix(x, y, size, part, cls, label):
    """A matrix as an open box, and in colour the part that belongs to the tile."""
    left, top, wide, high = part
    return [
        s.rect(x, y, *size, "tw-line"),
        s.rect(x + left, y + top, wide, high, cls),
        s.middle(x + left + wide / 2, y + top + high / 2 + 5, f"${label}$", "tw-small"),
    ]


def names(say, x, y):
    """The names of the matrices, their shapes, and how large the tile is."""
    quiet, below = "tw-small tw-muted", y + LONG + 16
    out = [
        s.text(x["s"] + LONG + 6, TOP + 18, "$K^⊤$"),
        s.text(x["s"] + LONG + 6, TOP + 36, "$d$ × $N$", quiet),
        s.text(x["s"] + 6, y + 17, "$S$, $P$"),
        s.middle(x["s"] + LONG / 2, below, "$N$ × $N$", quiet),
        s.middle(x["s"] + COL + WIDE / 2, TOP - 8, say["cols"], quiet),
        s.text(x["o"] + SHORT + 5, y + ROW + 19, say["rows"], quiet),
    ]
    for name in "qvo":
        out.append(s.middle(x[name] + SHORT / 2, y - 8, f"${name.upper()}$"))
        out.append(s.middle(x[name] + SHORT / 2, below, "$N$ × $d$", quiet))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, y, x = SAY[lang], TOP + 66, {"q": 4, "s": 66, "v": 216, "o": 290}
    rows, cols = (0, ROW, SHORT, HIGH), (0, COL, SHORT, WIDE)
    tall, tile = (SHORT, LONG), (COL, ROW, WIDE, HIGH)
    above = (COL, 0, WIDE, SHORT)
    parts = [
        *matrix(x["q"], y, tall, rows, "tw-q", "Q_i"),
        *matrix(x["s"], TOP, (LONG, SHORT), above, "tw-k", "K_j^⊤"),
        *matrix(x["s"], y, (LONG, LONG), tile, "tw-s", "S_{ij}"),
        *matrix(x["v"], y, tall, cols, "tw-v", "V_j"),
        *matrix(x["o"], y, tall, rows, "tw-o", "O_i"),
        *names(say, x, y),
    ]
    return s.svg(400, y + LONG + 24, say["label"], *parts)
