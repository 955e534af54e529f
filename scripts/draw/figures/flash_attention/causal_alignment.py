"""Causal masks where queries and keys differ in number: top-left and bottom-right."""

from draw.figures import _svg as s

SHAPES = [(2, 4), (4, 2)]  # (N_q, N_k)
ALIGNS = ["top-left", "bottom-right"]
CELL, ROW, LEFT = 31, 27, 36  # a cell; the room for the names of the rows
PANEL = 202  # from one alignment to the other
SAY = {
    "en": {
        "label": "Causal masks for 2 queries and 4 keys, and for 4 queries and 2 keys."
        " Top-left: row r sees keys up to r. Bottom-right: the last row sees every"
        " key, and of 4 queries with 2 keys the first two see nothing.",
        "top-left": ["top-left", "PyTorch’s is_causal"],
        "bottom-right": ["bottom-right", "FlashAttention ≥ 2.1"],
        "shape": "$N_q = {}, N_k = {}$", "none": ["see no key:", "$O = 0$"],
    },
    "zh": {
        "label": "2 个查询对 4 个键、4 个查询对 2 个键的因果掩码。左上对齐："
        "第 r 行看到第 r 个键为止。右下对齐：最后一行看得到所有的键；"
        "4 个查询对 2 个键，前两行什么也看不到。",
        "top-left": ["左上对齐", "PyTorch 的 is_causal"],
        "bottom-right": ["右下对齐", "FlashAttention ≥ 2.1"],
        "shape": "$N_q = {}, N_k = {}$", "none": ["看不到键：", "$O = 0$"],
    },
}


def seen(n_q, n_k, align):
    """The mask as rows of True and False; a test holds it to tilewise.masks."""
    shift = n_k - n_q if align == "bottom-right" else 0
    return [[c <= r + shift for c in range(n_k)] for r in range(n_q)]


def panel(x, y, n_q, n_k, align, say):
    """One mask: visible cells filled, the others −∞, rows and keys named."""
    out = [s.text(x, y - 31, say["shape"].format(n_q, n_k))]
    for c in range(n_k):
        out.append(
            s.middle(x + LEFT + CELL * (c + 0.5), y - 8, f"$k_{c + 1}$", "tw-tk")
        )
    for r, row in enumerate(seen(n_q, n_k, align)):
        top = y + ROW * r
        out.append(s.text(x + LEFT - 9, top + 19, f"$q_{r + 1}$", "tw-tq", "end"))
        for c, visible in enumerate(row):
            left = x + LEFT + CELL * c
            out.append(s.rect(left, top, CELL, ROW, "tw-s" if visible else "tw-slot"))
            if not visible:
                middle = left + CELL / 2
                out.append(s.middle(middle, top + 19, "−∞", "tw-small tw-muted"))
    blind = x + LEFT + CELL * n_k + 9
    if n_q > n_k and align == "bottom-right":
        out += s.lines(blind, y + 19, ROW, say["none"])
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, parts = SAY[lang], []
    for n, align in enumerate(ALIGNS):
        x, (title, who) = 4 + PANEL * n, say[align]
        parts += [s.text(x, 16, title, "tw-strong"), s.text(x, 36, who, "tw-muted")]
        y = 96
        for n_q, n_k in SHAPES:
            parts += panel(x, y, n_q, n_k, align, say)
            y += ROW * n_q + 74
    return s.svg(400, y - 74 + 4, say["label"], *parts)
