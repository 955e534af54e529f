"""The picture that others show beside a link to this site: 1200 × 630, no page has it.

The second tile of the running example: Q and K meet in a tile of S, and O comes out.
It stands alone, so the colours of the light scheme are written into it; the site's name
is made of tiles, so it needs no font that has Chinese. scripts/website/assets.py
makes it a PNG.
"""

import re
from pathlib import Path

from draw.figures import _svg as s

from tilewise.worked_example import K, O, Q, V

CSS = Path(__file__).resolve().parents[4] / "docs/assets/tilewise.css"
WIDTH, HEIGHT = 1200, 630
CELL, GAP, LEFT, TOP = 54, 28, 642, 82  # of the matrices
ROW, COLUMN = 0, 2  # where the tile begins
NAME = {
    "en": """
#####.#.#.............#..........
..#.....#........................
..#...#.#...##..#...#.#..###..##.
..#...#.#..#..#.#...#.#.#....#..#
..#...#.#..####.#.#.#.#..##..####
..#...#.#..#....#.#.#.#....#.#...
..#...#..#..###..#.#..#.###...###""",
    "zh": """
.#..###########.....#......#....
..#.....#...........#......#....
..#....#.#...#......#..#######..
.....##..#..#.......#......#.#..
....#..##.##.....######....#.#..
###...#.##..........#......#.#..
..#.##.#.#..........#......#.#..
..#...#..##.........#..#########
..#.##..#.#.#.......#......#....
..#....#..#..#......#.##..#.#...
..#..##...#...#....###....#.#...
..#.....##........##.....#...#..
.#.#....................#.....#.
#...###########.......##.......#""",
}
SAY = {
    "en": {
        "label": "Tilewise: FlashAttention. One tile of S, made from a tile of Q and"
        " one of K, within a matrix that is never stored; a tile of O comes out.",
        "line": ["one tile at a time:", "derived, traced, tested, measured"],
    },
    "zh": {
        "label": "逐块：FlashAttention。Q 的一块与 K 的一块得出 S 的一块，"
        "整个 S 从不存下；算出的是 O 的一块。",
        "line": [],
    },
}


def styles():
    """The rules for figures in tilewise.css with the light scheme's colours."""
    text = CSS.read_text("utf-8")
    light = text[: text.index("@media screen")]
    colours = dict(re.findall(r"(--tw-[\w-]+): ([^;]+);", light))
    rules = "\n".join(re.findall(r"^svg\.tw .*$", text, re.M))
    rules = re.sub(r"var\((--tw-[\w-]+)\)", lambda m: colours.get(m[1], m[0]), rules)
    own = """svg.tw text { font-family: KaTeX_SansSerif; }
svg.tw .tw-cells text, svg.tw .sc-name { font-size: 28px; }
svg.tw .tw-cells text { font-family: KaTeX_Main; }
svg.tw .sc-topic { font-size: 68px; font-weight: 700; }
svg.tw .sc-line { font-size: 30px; }
svg.tw .sc-word { fill: %s; }"""
    return f"<style>\n{rules}\n{own % colours['--tw-o']}\n</style>"


def word(lang, x, y, size):
    """The site's name in tiles, its upper left corner at (x, y)."""
    rows = NAME[lang].strip().split("\n")
    lit = [
        s.rect(x + c * size, y + r * size, size - 2, size - 2, "sc-word")
        for r, row in enumerate(rows)
        for c, mark in enumerate(row)
        if mark == "#"
    ]
    return s.group(*lit)


def matrix(name, x, y, values, css, tile):
    """A matrix whose tile (first row, first column) is filled, with numbers."""
    rows, cols = len(values), len(values[0])
    r, c = tile
    part = [row[c : c + 2] for row in values[r : r + 2]]
    at = (x + c * CELL, y + r * CELL)
    return [
        s.grid(x, y, rows, cols, "tw-slot", CELL, CELL),
        s.grid(*at, 2, 2, f"tw-{css} tw-thick", CELL, CELL),
        s.group(*cells(*at, part), cls="tw-cells"),
        s.middle(x + cols * CELL / 2, y - 10, f"${name}$", f"tw-t{css} sc-name"),
    ]


def cells(x, y, rows):
    """The numbers of a tile, each in the middle of its cell."""
    return [
        s.text(x + (c + 0.5) * CELL, y + (r + 0.5) * CELL + 10, s.num(value))
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
    ]


def product():
    """Q and K above S, V above O, as on paper; a tile of each is filled."""
    across, down = LEFT + 2 * CELL + GAP, TOP + 4 * CELL + 2 * GAP
    right, high = across + 4 * CELL + GAP, TOP + 2 * CELL
    keys = [list(column) for column in zip(*K, strict=True)]
    scores = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]
    return [
        *matrix("K", across, high, keys, "k", (0, COLUMN)),
        s.text(across + 2 * CELL + 16, high - 20, "$⊤$", "tw-tk sc-up"),
        *matrix("V", right, TOP, V, "v", (COLUMN, 0)),
        *matrix("Q", LEFT, down, Q, "q", (ROW, 0)),
        *matrix("S/τ", across, down, scores, "s", (ROW, COLUMN)),
        *matrix("O", right, down, O, "o", (ROW, 0)),
    ]


def draw(lang):
    """The card, in English or Chinese."""
    say, size = SAY[lang], {"en": 15, "zh": 16}[lang]
    top = {"en": 160, "zh": 125}[lang]
    text = [s.rect(0, 0, WIDTH, HEIGHT, "tw-paper tw-bare")]
    text += [
        word(lang, 72, top, size),
        s.text(70, {"en": 390, "zh": 485}[lang], "FlashAttention", "sc-topic"),
    ]
    text += s.lines(72, 450, 42, say["line"], "tw-muted sc-line")
    return s.svg(WIDTH, HEIGHT, say["label"], styles(), *text, *product())
