"""Algorithm 4's loops: what stays in SRAM meanwhile, and what moves at each step."""

from draw.figures import _svg as s
from draw.figures import _timeline as table
from draw.figures.flash_attention import tile_loop
from draw.tables.flash_attention.backward_steps import steps

ROWS, LOW = table.placed(
    [
        (("k", "v"), "j"),
        (("dk", "dv"), "j"),
        (("q",), "i"),
        (("o", "do"), "i"),
        (("l", "m"), "i"),
        (("dq",), "i"),
    ],
    48,
)
SAY = {
    "en": {
        "label": "Algorithm 4 over the four tiles of the example. K, V and the sums dK,"
        " dV stay in SRAM for two steps each; Q, O, dO, ℓ, m and dQ come from HBM at"
        " every step, and dQ goes back.",
        "io": "{load} in\n{store} out",
    },
    "zh": {
        "label": "例子的四块走完算法 4：K、V 以及累加中的 dK、dV 各在 SRAM 中停留两步；"
        "Q、O、dO、ℓ、m、dQ 每一步都从 HBM 取来，dQ 再写回。",
        "io": "进 {load}\n出 {store}",
    },
}


def draw(lang):
    """The figure in English or Chinese."""
    say = tile_loop.SAY[lang] | SAY[lang]
    parts = table.bars(steps(), ROWS, say, 24, LOW - 21)
    parts += table.traffic(steps(), ROWS, say, LOW + 39, unit=1)
    return s.svg(400, LOW + 113, say["label"], *parts)
