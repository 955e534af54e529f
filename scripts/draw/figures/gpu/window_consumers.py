"""Which tiles of keys the two consumers of a block compute under a window."""

from draw.figures import _svg as s

WINDOW, COLS, ROWS, FIRST = 256, 64, 64, 640  # keys, of a tile, of a consumer; a row
LEFT, CELL, TALL, GAP = 132, 57, 57, 26  # units: labels, a tile, a consumer's rows
STYLE = (
    "<style>.wc-seen{fill:var(--tw-s);fill-opacity:.45}"
    ".wc-whole{fill:none;stroke:var(--tw-s);stroke-width:2}"
    ".wc-cut{fill:none;stroke:var(--tw-s);stroke-dasharray:5 3}"
    ".wc-skipped{fill:none;stroke:var(--tw-rule);stroke-dasharray:2 3}</style>"
)
SAY = {
    "en": {
        "label": "A block of 128 rows, a window of {window} keys. Consumer 0 computes"
        " tiles {own0} and skips tile {skipped0}; consumer 1 computes tiles {own1}"
        " and skips tile {skipped1}. Each needs a mask in two tiles of five.",
        "consumer": "consumer {w}",
        "rows": "rows {a} – {b}",
        "tile": "tile {j}",
        "whole": "whole", "cut": "cut: mask", "skipped": "skipped",
        "walk": "both walk from the last tile to the first",
    },
    "zh": {
        "label": "128 行的行块，窗口宽 {window} 个键。消费者 0 计算第 {own0} 块，跳过第"
        " {skipped0} 块；消费者 1 计算第 {own1} 块，跳过第 {skipped1} 块。"
        "各自的五块里，有两块要加掩码。",
        "consumer": "消费者 {w}",
        "rows": "第 {a} – {b} 行",
        "tile": "块 {j}",
        "whole": "整块可见", "cut": "被切开：加掩码", "skipped": "跳过",
        "walk": "都从最后一块走到第一块",
    },
}


def seen(row):
    """The keys that a row sees: its own and those before it."""
    return range(row - WINDOW + 1, row + 1)


def kinds(rows):
    """{tile: "whole", "cut" or "skipped"} for these rows, of the tiles of the block."""
    tiles = range(seen(FIRST)[0] // COLS, (FIRST + 2 * ROWS - 1) // COLS + 1)
    found = {}
    for j in tiles:
        keys = range(j * COLS, (j + 1) * COLS)
        count = sum(key in seen(row) for row in rows for key in keys)
        whole = count == len(rows) * COLS
        found[j] = "whole" if whole else "cut" if count else "skipped"
    return found


def strip(y, w, say):
    """One consumer's rows: its name, what they see, and the kinds of its tiles."""
    top = FIRST + ROWS * w
    found = kinds(range(top, top + ROWS))
    begin = min(found) * COLS
    names = say["consumer"].format(w=w), say["rows"].format(a=top, b=top + ROWS - 1)
    out = s.lines(4, y + TALL / 2 - 4, 18, names)
    x = [LEFT + CELL * (key - begin) / COLS for key in (seen(top)[0], top + 1)]
    down = CELL  # the window moves by a tile's width over 64 rows
    corners = (x[0], y), (x[1], y), (x[1] + down, y + TALL), (x[0] + down, y + TALL)
    d = "L".join(f"{a:g} {b:g}" for a, b in corners)
    out.append(s.path(f"M{d}Z", "wc-seen"))
    for j, kind in found.items():
        at = LEFT + CELL * (j - min(found)) + 1.5
        out.append(s.rect(at, y + 1.5, CELL - 3, TALL - 3, f"wc-{kind}"))
    return out, found


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, words = SAY[lang], [STYLE], {"window": WINDOW}
    for w in range(2):
        made, found = strip(24 + w * (TALL + GAP), w, say)
        parts += made
        own = [j for j, kind in found.items() if kind != "skipped"]
        (skipped,) = found.keys() - {*own}
        words |= {f"own{w}": f"{own[0]}–{own[-1]}", f"skipped{w}": skipped}
    for n, j in enumerate(found):
        parts.append(s.middle(LEFT + CELL * (n + 0.5), 16, say["tile"].format(j=j)))
    y = 24 + 2 * TALL + GAP + 22
    width = CELL * len(found)
    parts.append(s.arrow(LEFT + width - 4, y - 5, -24, 0, 3, "tw-dot"))
    parts.append(s.text(LEFT + width - 36, y, say["walk"], "", "end"))
    for x, kind in zip((4, 104, 250), ("whole", "cut", "skipped")):
        parts.append(s.rect(x, y + 14, 16, 16, f"wc-{kind}"))
        parts.append(s.text(x + 22, y + 27, say[kind]))
    return s.svg(478, y + 36, say["label"].format(**words), *parts)
