"""One tile of the backward pass: five products and the line for softmax, in numbers."""

from draw.figures import _svg as s
from draw.tables.flash_attention.backward_steps import steps

ROW = s.ROW
SUMS = (  # product, left edge, key, name, what is added, cell width
    (3, 38, "dv_new", "d$V_1$", "+ $P_{11}^⊤$ d$O_1$", 36),
    (4, 164, "dk_new", "d$K_1/τ$", "+ d$S_{11}^⊤$ $Q_1$", 46),
    (5, 306, "dq_new", "d$Q_1/τ$", "+ d$S_{11}$ $K_1$", 46),
)
SAY = {
    "en": {
        "label": "The first tile of the backward pass. Products 1 and 2 make S and dP"
        " from Q, K, dO and V. P comes from S with m and ℓ, dS from P, dP and δ."
        " Products 3 to 5 add to dV, dK and dQ. Of these only dQ goes to HBM with"
        " every tile; dV and dK stay on chip.",
        "chip": "on chip", "stay": "stay for the next tile",
        "io": "d$Q_1$: 4 in, 4 out",
    },
    "zh": {
        "label": "反向传播的第一块。乘积 1、2 由 Q、K、dO、V 得到 S 与 dP；P 由 S 和"
        " m、ℓ 得到，dS 由 P、dP、δ 得到；乘积 3 到 5 累加到 dV、dK、dQ。"
        "其中只有 dQ 每一块都要写回 HBM，dV 与 dK 留在片上。",
        "chip": "片上", "stay": "留给下一块", "io": "d$Q_1$：进 4，出 4",
    },
}


def matrix(x, y, rows, name, css, cell=s.CELL):
    """A box of numbers at (x, y) with its name above."""
    wide = cell * (len(rows[0]) if isinstance(rows[0], list) else 1)
    return [
        s.grid(x, y, len(rows), round(wide / cell), f"tw-{css}", cell),
        s.numbers(x, y, rows, cell),
        s.middle(x + wide / 2, y - 7, name, f"tw-t{css}"),
    ]


def badge(x, y, n):
    """The number of a product, in a circle."""
    circle = f'<circle cx="{x}" cy="{y}" r="11" class="tw-paper"/>'
    return [circle, s.middle(x, y + 5, str(n), "tw-strong")]


def turned(rows):
    """A matrix, transposed."""
    return [list(col) for col in zip(*rows)]


def scores(t):
    """Products 1 and 2, P from S, and δ."""
    out = []
    for n, y, a, b, c, left, right, name in (
        (1, 48, "q", "k", "s", "$Q_1$", "$K_1^⊤$", "$S_{11}/τ$"),
        (2, 134, "do", "v", "dp", "d$O_1$", "$V_1^⊤$", "d$P_{11}$"),
    ):
        out += badge(18, y + ROW, n) + matrix(38, y, t[a], left, a[-1])
        out += [s.middle(97, y + ROW + 5, "·"), s.middle(166, y + ROW + 5, "=")]
        out += matrix(106, y, turned(t[b]), right, b)
        out += matrix(176, y, t[c], name, "s")
    out.append(s.arrow(234, 70, 62, 0, 2, "tw-s"))
    out.append(s.middle(263, 60, "$e^{S−m}/ℓ$"))
    out += matrix(306, 48, t["p"], "$P_{11}$", "s", 36)
    out += matrix(252, 134, t["delta"], "$δ_1$", "m", 36)
    words = ["= rowsum", "(d$O_1$ ∘ $O_1$)"]
    return out + s.lines(296, 151, 20, words)


def sums(t, say):
    """dS, products 3 to 5, and what crosses to HBM."""
    out = [s.text(38, 248, "$P_{11}$ ∘ (d$P_{11}$ − $δ_1$)  =")]
    out += matrix(214, 222, t["ds"], "d$S_{11}$", "s", 46)
    for n, x, key, name, added, cell in SUMS:
        out += badge(x - 20, 310 + ROW, n)
        out += matrix(x, 310, t[key], name, key[1], cell)
        out.append(s.middle(x + cell, 374, added, f"tw-t{key[1]}"))
    out.append(s.text(38, 398, say["stay"], "tw-small tw-muted"))
    out.append(s.arrow(338, 437, 0, -28, 6, "tw-q"))
    return [*out, s.arrow(368, 409, 0, 28, 6, "tw-q")]


def draw(lang):
    """The figure in English or Chinese."""
    say, t = SAY[lang], steps()[0]
    parts = [s.rect(1, 1, 418, 405, "tw-sram", 'rx="7"')]
    parts.append(s.text(9, 18, say["chip"], "tw-small tw-muted"))
    parts += scores(t) + sums(t, say)
    parts += [s.rect(1, 440, 418, 40, "tw-hbm", 'rx="3"'), s.text(9, 465, "HBM")]
    parts.append(s.text(411, 465, say["io"], "tw-tq", "end"))
    return s.svg(420, 481, say["label"], *parts)
