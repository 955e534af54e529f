"""Twelve documents as padded rows and as packed rows."""

from draw.figures import _svg as s

from tilewise.examples.packing_bins import LENGTHS, SIZE
from tilewise.packing import fill, first_fit_decreasing

UNIT, ROW, GAP = 12, 19, 3  # a token's width, a row's height, the space below it
SAY = {
    "en": {
        "label": "{n} documents, {tokens} tokens. Padded to the longest: {n} rows of"
        " {longest} tokens, {wide}% filled, the rest is padding. Packed: {rows} rows of"
        " {size} tokens, {filled}% filled: {sums}.",
        "padded": "padded", "packed": "packed", "and": ", ",
        "rows": "{} rows of {}", "filled": "{}% filled", "padding": "padding",
        "document": "document, tokens",
    },
    "zh": {
        "label": "{n} 篇文档，共 {tokens} 个 token。都填充到和最长的一样长：{n} 行，"
        "每行 {longest} 个位置，利用率 {wide}%，其余都是填充。"
        "打包：{rows} 行，每行 {size} 个位置，利用率 {filled}%：{sums}。",
        "padded": "填充", "packed": "打包", "and": "、",
        "rows": "{} 行，每行 {} 个", "filled": "利用率 {}%", "padding": "填充",
        "document": "一篇文档的 token 数",
    },
}


def line(x, y, lengths, size):
    """One row: its documents, then what is left of it."""
    out, at = [], x
    for length in lengths:
        wide = UNIT * length
        out.append(s.rect(at, y, wide, ROW, "tw-paper"))
        out.append(s.middle(at + wide / 2, y + 14.5, str(length), "tw-small"))
        at += wide
    left = x + UNIT * size - at
    return [*out, s.rect(at, y, left, ROW, "tw-pad")] if left else out


def panel(x, title, rows, size, filled, say):
    """Rows below each other, with a title of three lines."""
    under = [say["rows"].format(len(rows), size), say["filled"].format(filled)]
    out = [s.text(x, 16, title, "tw-strong"), *s.lines(x, 35, 18, under, "tw-muted")]
    for n, lengths in enumerate(rows):
        out += line(x, 66 + (ROW + GAP) * n, lengths, size)
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, longest = SAY[lang], max(LENGTHS)
    bins = first_fit_decreasing(LENGTHS, SIZE)
    rows = [[LENGTHS[i] for i in x] for x in bins]
    wide = round(100 * sum(LENGTHS) / (longest * len(LENGTHS)))
    filled = round(100 * fill(LENGTHS, bins, SIZE))
    right = 4 + UNIT * longest + 30
    parts = panel(4, say["padded"], [[n] for n in LENGTHS], longest, wide, say)
    parts += panel(right, say["packed"], rows, SIZE, filled, say)
    key = 66 + (ROW + GAP) * 8
    parts += line(right, key, [3], 3) + line(right, key + 26, [], 3)
    parts.append(s.text(right + 46, key + 15, say["document"], "tw-small"))
    parts.append(s.text(right + 46, key + 41, say["padding"], "tw-small"))
    label = say["label"].format(
        n=len(LENGTHS), tokens=sum(LENGTHS), longest=longest, wide=wide, rows=len(rows),
        size=SIZE, filled=filled,
        sums=say["and"].join("+".join(map(str, x)) for x in rows),
    )
    height = 66 + (ROW + GAP) * len(LENGTHS) + 2
    return s.svg(right + UNIT * SIZE + 4, height, label, *parts)
