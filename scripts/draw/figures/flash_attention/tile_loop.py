"""Algorithm 1's two loops over the tiles of S, and what stays in SRAM meanwhile."""

from draw.figures import _svg as s
from draw.figures import _timeline as table
from draw.figures._example import STEPS

NAME = {"q": "Q", "k": "K", "v": "V", "o": "O", "l": "ℓ", "m": "m"}
TILE, DEEP, FLAT, GAP = 74, 52, 28, 4  # a tile's rows; the head dimension; ℓ, m
S_LEFT, S_TOP, Q_LEFT, LOW_K = 128, 124, 72, 38  # and how high K and V are
V_TOP = S_TOP - 2 * (LOW_K + GAP)
K_TOP = V_TOP + LOW_K + GAP
BARS, LOW = table.placed([("kv", "j"), ("q", "i"), ("olm", "i")], 48)
SAY = {
    "en": {
        "walk": "The tiles of S are visited column by column.",
        "label": "The K and V tiles of the outer loop stay in SRAM for a whole column;"
        " the Q, O, ℓ and m tiles of the inner loop come from HBM at every step, and"
        " O, ℓ and m go back.",
        "outer": "outer loop: $j$", "inner": ["inner", "loop: $i$"],
        "sram": "in SRAM", "io": "{load} in\n{store} out", "step": "step {n}",
        "sum": "all four steps: {load} in, {store} out",
    },
    "zh": {
        "walk": "逐列访问 S 的各块。",
        "label": "外层循环的 K、V 块在 SRAM 中停留一整列，"
        "内层循环的 Q、O、ℓ、m 块每一步都从 HBM 取来，O、ℓ、m 再写回。",
        "outer": "外层循环：$j$", "inner": ["内层", "循环：$i$"],
        "sram": "SRAM 里", "io": "进 {load}\n出 {store}", "step": "第 {n} 步",
        "sum": "四步合计：进 {load}，出 {store}",
    },
}


def matrices(say):
    """S in tiles; K and V above it, Q to the left, O, ℓ and m to the right."""
    right = S_LEFT + 2 * TILE  # where S ends
    out = [s.middle(S_LEFT + TILE, 14, say["outer"])]
    out.append(s.arrow(S_LEFT, 26, 2 * TILE, 0, 2, "tw-k"))
    out.extend(s.lines(2, S_TOP + TILE - 4, 18, say["inner"]))
    out.append(s.arrow(Q_LEFT - 10, S_TOP, 0, 2 * TILE, 2, "tw-q"))
    for n in (0, 1):
        x, y = S_LEFT + TILE * n, S_TOP + TILE * n
        boxes = [  # left, top, width, height, tensor
            (x, V_TOP, TILE, LOW_K, "v"),
            (x, K_TOP, TILE, LOW_K, "k"),
            (Q_LEFT, y, DEEP, TILE, "q"),
            (right + GAP, y, DEEP, TILE, "o"),
            (right + 2 * GAP + DEEP, y, FLAT, TILE, "l"),
            (right + 3 * GAP + DEEP + FLAT, y, FLAT, TILE, "m"),
        ]
        for left, top, w, h, name in boxes:
            css = "m" if name == "l" else name
            symbol = f"${NAME[name]}_{n + 1}{'^⊤' if name in 'kv' else ''}$"
            out.append(s.rect(left, top, w, h, f"tw-{css}"))
            out.append(s.middle(left + w / 2, top + h / 2 + 5, symbol, f"tw-t{css}"))
    # A unit of paper shows between the tiles, so two cells share what is left of one.
    step, cell = TILE + 1, (TILE - 1) / 2
    places = [(S_LEFT + step * t["j"], S_TOP + step * t["i"]) for t in STEPS]
    return out + [s.grid(x, y, 2, 2, "tw-s", cell, cell) for x, y in places]


def visits():
    """The numbers of the steps on S, and the way from one to the next."""
    first_x, first_y = S_LEFT + TILE // 2, S_TOP + TILE // 2
    centres = [(first_x + TILE * t["j"], first_y + TILE * t["i"]) for t in STEPS]
    out = [s.path("M" + "L".join(f"{x} {y}" for x, y in centres), "tw-way")]
    for n, (x, y) in enumerate(centres, 1):
        out.append(f'<circle cx="{x}" cy="{y}" r="13" class="tw-paper"/>')
        out.append(s.middle(x, y + 5, str(n), "tw-strong"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    parts = table.bars(STEPS, BARS, say, 24, LOW - 21)
    parts += table.traffic(STEPS, BARS, say, LOW + 39)
    walk = s.svg(400, S_TOP + 2 * TILE + 4, say["walk"], *matrices(say), *visits())
    return s.pair(walk, s.svg(400, LOW + 113, say["label"], *parts))
