"""Algorithm 1's two loops over the tiles of S, and what stays in SRAM meanwhile."""

from draw.figures import _svg as s
from draw.figures import _timeline as table
from draw.figures._example import STEPS

NAME = {"q": "Q", "k": "K", "v": "V", "o": "O", "l": "ℓ", "m": "m"}
BARS, LOW = table.placed([("kv", "j"), ("q", "i"), ("olm", "i")], 276)
SAY = {
    "en": {
        "label": "The tiles of S are visited column by column. The K and V tiles of the"
        " outer loop stay in SRAM for a whole column; the Q, O, ℓ and m tiles of the"
        " inner loop come from HBM at every step, and O, ℓ and m go back.",
        "outer": "outer loop: $j$", "inner": ["inner", "loop: $i$"],
        "sram": "in SRAM", "io": "{load} in, {store} out", "step": "step {n}",
        "sum": "all four steps: {load} in, {store} out",
    },
    "zh": {
        "label": "逐列访问 S 的各块：外层循环的 K、V 块在 SRAM 中停留一整列，"
        "内层循环的 Q、O、ℓ、m 块每一步都从 HBM 取来，O、ℓ、m 再写回。",
        "outer": "外层循环：$j$", "inner": ["内层", "循环：$i$"],
        "sram": "SRAM 里", "io": "进 {load}，出 {store}", "step": "第 {n} 步",
        "sum": "四步合计：进 {load}，出 {store}",
    },
}


def matrices(say):
    """S in tiles; K and V above it, Q to the left, O, ℓ and m to the right."""
    out = [s.middle(184, 14, say["outer"]), s.arrow(128, 26, 112, 0, 2, "tw-k")]
    out += [*s.lines(2, 150, 18, say["inner"]), s.arrow(62, 100, 0, 112, 2, "tw-q")]
    for n in (0, 1):
        x, y = 128 + 56 * n, 100 + 56 * n
        boxes = [(x, 36, 56, 28, "v"), (x, 68, 56, 28, "k"), (72, y, 52, 56, "q")]
        boxes += [(244, y, 52, 56, "o"), (300, y, 28, 56, "l"), (332, y, 28, 56, "m")]
        for left, top, w, h, name in boxes:
            css = "m" if name == "l" else name
            symbol = f"${NAME[name]}_{n + 1}{'^⊤' if name in 'kv' else ''}$"
            out.append(s.rect(left, top, w, h, f"tw-{css}"))
            out.append(s.middle(left + w / 2, top + h / 2 + 5, symbol, f"tw-t{css}"))
    corners = [(128 + 57 * t["j"], 100 + 57 * t["i"]) for t in STEPS]
    return out + [s.grid(x, y, 2, 2, "tw-s", 27.5, 27.5) for x, y in corners]


def visits():
    """The numbers of the steps on S, and the way from one to the next."""
    at = [(156 + 56 * t["j"], 128 + 56 * t["i"]) for t in STEPS]
    out = [s.path("M" + "L".join(f"{x} {y}" for x, y in at), "tw-way")]
    for n, (x, y) in enumerate(at, 1):
        out.append(f'<circle cx="{x}" cy="{y}" r="13" class="tw-paper"/>')
        out.append(s.middle(x, y + 5, str(n), "tw-strong"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    parts = matrices(say) + visits() + table.bars(STEPS, BARS, say, 252, LOW - 249)
    parts += table.traffic(STEPS, BARS, say, LOW + 39)
    return s.svg(400, LOW + 96, say["label"], *parts)
