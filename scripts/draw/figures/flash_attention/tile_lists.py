"""A matrix of tiles, the lists of its rows beside it, those of its columns below."""

from draw.figures import _svg as s

from tilewise.examples.block_sparse_patterns import SIZE, SPANS, N, T
from tilewise.masks import tile_kind

CELL, LEFT, TOP, CHOSEN = 24, 78, 44, 5  # CHOSEN: the row and the column to look at
WIDE, STEP, FULL = CELL * T, 16, CELL - 2
STYLE = (
    "<style>.tl-mark{fill:none;stroke:var(--tw-s);stroke-width:2}</style>"
)
SAY = {
    "en": {
        "label": "A matrix of 8 by 8 tiles. Beside each row is the list of its tiles,"
        " below each column the list of the rows that have it. Row {n} lists {row},"
        " column {n} lists {column}.",
        "rows": "for the forward pass",
        "keys": "block of keys",
        "queries": "queries",
        "columns": "for the backward pass",
    },
    "zh": {
        "label": "8 × 8 的分块矩阵。每行右边是这一行的列表，每列下面是列出这一列的行。"
        "第 {n} 行列出 {row}，第 {n} 列列出 {column}。",
        "rows": "前向用",
        "keys": "键块",
        "queries": "查询块",
        "columns": "反向用",
    },
}


def listed():
    """The bools of the pattern with tiles at random, (T_r, T_c)."""
    ends = [(first, first + SIZE) for first in range(0, N, SIZE)]
    span = SPANS["random"]
    return [[tile_kind(span, r, c) != "empty" for c in ends] for r in ends]


def places(bools):
    """Where a row of bools is True."""
    return [i for i, here in enumerate(bools) if here]


def matrix(tiles):
    """The tiles, their numbers above and at the left."""
    out = [
        s.rect(LEFT + CELL * j + 1, TOP + CELL * i + 1, FULL, FULL, "tw-shown")
        for i in range(T)
        for j in places(tiles[i])
    ]
    out.append(s.grid(LEFT, TOP, T, T, "tw-rule", CELL, CELL))
    for n in range(T):
        centre = CELL * n + CELL / 2
        out.append(s.middle(LEFT + centre, TOP - 7, str(n), "tw-muted"))
        out.append(s.text(LEFT - 8, TOP + centre + 5, str(n), "tw-muted", "end"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, tiles = SAY[lang], listed()
    rows = [places(row) for row in tiles]
    columns = [places(column) for column in zip(*tiles, strict=True)]
    right, below = LEFT + WIDE + 16, TOP + WIDE + 22
    parts = [STYLE, *matrix(tiles)]
    parts.append(s.text(LEFT, 16, say["keys"], "tw-muted"))
    parts.append(s.text(0, TOP + 17, say["queries"], "tw-muted"))
    for i, row in enumerate(rows):
        at = TOP + CELL * i + CELL / 2 + 5
        parts += [s.text(right + STEP * x, at, str(j)) for x, j in enumerate(row)]
    for j, column in enumerate(columns):
        at = LEFT + CELL * j + CELL / 2
        parts += [s.middle(at, below + STEP * y, str(i)) for y, i in enumerate(column)]
    chosen = CELL * CHOSEN
    long, tall = STEP * len(rows[CHOSEN]) + 6, STEP * len(columns[CHOSEN]) + 6
    parts.append(s.rect(right - 6, TOP + chosen + 2, long, CELL - 4, "tl-mark"))
    parts.append(s.rect(LEFT + chosen + 2, below - 15, CELL - 4, tall, "tl-mark"))
    deep = below + STEP * T + 8
    parts.append(s.text(right - 6, 16, say["rows"]))
    parts.append(s.text(LEFT, deep, say["columns"]))
    words = {"row": rows[CHOSEN], "column": columns[CHOSEN]}
    words = {name: s.listed(x, lang) for name, x in words.items()}
    label = say["label"].format(n=CHOSEN, **words)
    return s.svg(436, deep + 8, label, *parts)
