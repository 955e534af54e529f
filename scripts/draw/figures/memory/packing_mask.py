"""The causal mask of one packed row: a block for each document, on the diagonal."""

import torch
from draw.figures import _svg as s

from tilewise.examples.packing_bins import LENGTHS, SIZE
from tilewise.masks import causal, documents, tile_mask
from tilewise.packing import first_fit_decreasing

CELL, X, Y = 16, 30, 46  # a cell; where the mask begins
ROW = [LENGTHS[i] for i in first_fit_decreasing(LENGTHS, SIZE)[-1]]
STYLE = "<style>.pm-leak{fill:var(--tw-s);fill-opacity:.16}</style>"
SAY = {
    "en": {
        "label": "The {size} by {size} scores of a row with documents of {row} tokens."
        " Each document sees itself, causally: {seen} pairs. A causal mask alone would"
        " show {leak} more, of other documents. {future} lie in the future.",
        "seen": "seen", "leak": "past of others", "future": "the future",
        "cu": "cu_seqlens", "and": ", ",
    },
    "zh": {
        "label": "一行里的几篇文档，依次有 {row} 个 token，共 {size} × {size} 个分数。"
        "每篇只看自己，再加因果掩码：看得到 {seen} 对。只加因果掩码，还会多看到"
        " {leak} 对，都在别的文档里。另有 {future} 对在未来。",
        "seen": "看得到", "leak": "别的文档的过去", "future": "未来",
        "cu": "cu_seqlens", "and": "、",
    },
}


def masks():
    """(seen, causal alone), each SIZE × SIZE bools as lists."""
    rows, cols = torch.arange(SIZE)[:, None], torch.arange(SIZE)
    past = causal(SIZE, SIZE)
    both = tile_mask(past, documents(ROW))(rows, cols)
    return both, tile_mask(past)(rows, cols)


def squares(places, cls):
    """Cells, as one path."""
    d = (f"M{X + CELL * c} {Y + CELL * r}h{CELL}v{CELL}h-{CELL}z" for r, c in places)
    return s.path("".join(d), cls)


def key(y, cls, word, number):
    """One line of the legend."""
    x = X + CELL * SIZE + 12
    box = [s.rect(x, y - 12, 14, 14, cls)]
    box.append(s.text(x + 20, y, word, "tw-small"))
    return [*box, s.text(x + 20, y + 19, str(number))]


def draw(lang):
    """The figure in English or Chinese."""
    say, (seen, past) = SAY[lang], masks()
    leak, wide = past & ~seen, CELL * SIZE
    parts = [STYLE, s.rect(X, Y, wide, wide, "tw-slot")]
    parts.append(squares(leak.nonzero().tolist(), "pm-leak"))
    parts.append(squares(seen.nonzero().tolist(), "tw-s"))
    parts.append(s.text(X, 14, say["cu"], "tw-small tw-muted"))
    edges = [0, *torch.tensor(ROW).cumsum(0).tolist()]
    for at in edges:
        x, y = X + CELL * at, Y + CELL * at
        parts.append(s.middle(x, Y - 8, str(at), "tw-small tw-tk"))
        parts.append(s.text(X - 8, y + 5, str(at), "tw-small tw-tq", "end"))
    rules = [f"M{X} {Y + CELL * a}h{wide}M{X + CELL * a} {Y}v{wide}" for a in edges]
    parts.append(s.path("".join(rules), "tw-rule"))
    future = SIZE**2 - int(past.sum())
    counts = {"seen": int(seen.sum()), "leak": int(leak.sum()), "future": future}
    for n, (name, cls) in enumerate((("seen", "tw-s"), ("leak", "pm-leak"),
                                     ("future", "tw-slot"))):
        parts += key(Y + 14 + 58 * n, cls, say[name], counts[name])
    row = say["and"].join(map(str, ROW))
    label = say["label"].format(size=SIZE, row=row, **counts)
    return s.svg(X + wide + 128, Y + wide + 10, label, *parts)
