"""Tiles that four masks leave full, cut or skip, by tilewise.masks.tile_kind."""

from itertools import pairwise

import torch
from draw.figures import _svg as s

from tilewise.masks import causal, documents, intersect, intervals, tile_kind, window

N, SIZE, CELL = 64, 8, 22  # keys and queries, tile size, the side of a tile drawn
T = N // SIZE
WIDE = CELL * T
KINDS = ["full", "partial", "empty"]
TEXTS = documents([20, 28, 16])
MASKS = {
    "causal": causal(N, N),
    "window": window(N, N, left=15),
    "documents": TEXTS,
    "both": intersect(causal(N, N), TEXTS),
}
STYLE = (
    "<style>.mk-seen{fill:var(--tw-s);fill-opacity:.4}"
    ".mk-full{fill:var(--tw-s);stroke:var(--tw-paper)}"
    ".mk-partial{fill:none;stroke:var(--tw-s)}"
    ".mk-empty{fill:none;stroke:var(--tw-rule);stroke-dasharray:2 3}</style>"
)
SAY = {
    "en": {
        "label": "The 8 by 8 tiles of S for N = {n} under four masks. {counts}. Full"
        " tiles need no mask, partial ones do, empty ones are skipped.",
        "causal": "causal", "window": "window of 16", "documents": "three documents",
        "both": "causal documents",
        "full": "full", "partial": "partial", "empty": "empty: skipped",
        "count": "{name}: full {full}, partial {partial}, empty {empty}", "sep": "; ",
    },
    "zh": {
        "label": "N = {n}，S 分成 8 × 8 个块，加上四种掩码。{counts}。满块不必加掩码，"
        "部分块要加，空块直接跳过。",
        "causal": "因果", "window": "窗口宽 16", "documents": "三篇文档",
        "both": "文档内因果",
        "full": "满块", "partial": "部分块", "empty": "空块：跳过",
        "count": "{name}：满块 {full}，部分块 {partial}，空块 {empty}", "sep": "；",
    },
}


def tiles(span):
    """{kind: the tiles (i, j) of that kind}."""
    found = {kind: [] for kind in KINDS}
    for i in range(T):
        for j in range(T):
            rows, cols = ((x * SIZE, x * SIZE + SIZE) for x in (i, j))
            found[tile_kind(span, rows, cols)].append((i, j))
    return found


def stairs(edge):
    """The corners (c, r) of a border that lies at edge[r] beside row r, downwards."""
    steps = [
        (c, r)
        for r, pair in enumerate(pairwise(edge), 1)
        if len({*pair}) > 1
        for c in pair
    ]
    return [(edge[0], 0), *steps, (edge[-1], N)]


def area(x, y, span):
    """All that is seen: row r sees the keys between two borders, for each interval."""
    first, end = (
        e.clamp(0, N).expand(N, -1) for e in intervals(span, torch.arange(N)[:, None])
    )
    unit, d = CELL / SIZE, ""
    for a, b in zip(first.T.tolist(), end.T.tolist(), strict=True):
        b = [max(pair) for pair in zip(a, b, strict=True)]
        corners = stairs(b) + stairs(a)[::-1]
        d += f"M{'L'.join(f'{x + unit * c:g} {y + unit * r:g}' for c, r in corners)}Z"
    return s.path(d, "mk-seen")


def squares(x, y, places, cls):
    """The outlines of tiles (i, j), as one path."""
    side = CELL - 1.5
    d = [
        f"M{x + CELL * j + 0.75:g} {y + CELL * i + 0.75:g}h{side}v{side}h-{side}z"
        for i, j in places
    ]
    return s.path("".join(d), cls)


def swatch(x, y, kind):
    """One small tile of a kind, as in the panels."""
    cut = f"M{x} {y - 12}v12h12z"
    parts = [s.path(cut, "mk-seen")] if kind == "partial" else []
    return [*parts, s.rect(x, y - 12, 12, 12, f"mk-{kind}")]


def panel(x, y, title, span):
    """One mask: its name, its tiles, and how many there are of each kind."""
    found = tiles(span)
    out = [s.text(x, y - 8, title, "tw-strong"), area(x, y, span)]
    lines = "".join(
        f"M{x} {y + CELL * n}h{WIDE}M{x + CELL * n} {y}v{WIDE}" for n in range(T + 1)
    )
    out.append(s.path(lines, "mk-empty"))
    out += [squares(x, y, found[kind], f"mk-{kind}") for kind in ("full", "partial")]
    below = y + WIDE + 20
    for n, kind in enumerate(KINDS):
        out += swatch(x + 60 * n, below, kind)
        out.append(s.text(x + 60 * n + 18, below, str(len(found[kind]))))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    return drawn(MASKS, SAY[lang])


def drawn(masks, say):
    """Four masks {name: span} in two rows, with the words of a language."""
    parts, counts = [STYLE], []
    for n, name in enumerate(masks):
        place = 4 + 212 * (n % 2), 24 + 240 * (n // 2)
        parts += panel(*place, say[name], masks[name])
        numbers = {kind: len(found) for kind, found in tiles(masks[name]).items()}
        counts.append(say["count"].format(name=say[name], **numbers))
    for x, kind in zip((4, 84, 190), KINDS, strict=True):
        parts += [*swatch(x, 488, kind), s.text(x + 18, 488, say[kind])]
    label = say["label"].format(n=N, counts=say["sep"].join(counts))
    return s.svg(400, 494, label, *parts)
