"""The five products of a tile, each with the places that its operands come from."""

from draw.figures import _svg as s

D, ROWS, KEYS = 128, 64, 64  # of one consumer of the Gluon kernel at d = 128
COL, BOX, HIGH = 66, 56, 28  # distance of columns, width and height of a box
LEFT, WIDTH = 8, 402
REG, SRAM, HBM = 1, 196, 352  # where the three levels begin
TOP, LOW = REG + 36, REG + 130  # results, and what feeds the next product
A, B = SRAM + 32, SRAM + 84  # left and right operands
KIB = 2**10
POWER = "2$^{S−L}$"
PRODUCTS = (  # number, result, its colour, left operand, colour, where, right, colour
    (1, "$S^⊤$", "s", "$K_j$", "k", A, "$Q_i^⊤$", "q"),
    (3, "d$V_j$", "v", "$P^⊤$", "s", LOW, "d$O_i$", "o"),
    (2, "d$P^⊤$", "s", "$V_j$", "v", A, "d$O_i^⊤$", "o"),
    (4, "d$K_j$", "k", "d$S^⊤$", "s", LOW, "$Q_i$", "q"),
    (5, "d$Q_i$", "q", "d$S$", "s", A, "$K_j$", "k"),
)
SAY = {
    "en": {
        "label": "The five products of a tile. S transposed and dP transposed are made"
        " from K, Q, V and dO in SRAM. P and dS stay in registers and are the left"
        " operands of dV and dK. Only dS also goes through SRAM, as the left operand of"
        " dQ. dQ goes out through SRAM, and L2 adds it to the sum in HBM.",
        "reg": "registers", "sram": "SRAM",
        "in": "{size} KiB each", "add": "{size} KiB, added",
        "once": "$K_j$, $V_j$ in once, d$K_j$, d$V_j$ out once",
    },
    "zh": {
        "label": "一块的五次矩阵乘法。转置的 S 和 dP 由 SRAM 中的 K、Q、V、dO 算出；"
        "P 和 dS 留在寄存器里，做 dV 和 dK 的左操作数。"
        "只有 dS 还要经过 SRAM，做 dQ 的左操作数；"
        "dQ 经 SRAM 送出，由 L2 加到 HBM 里的和上。",
        "reg": "寄存器", "sram": "SRAM",
        "in": "各 {size} KiB", "add": "累加 {size} KiB",
        "once": "$K_j$、$V_j$ 进一次，d$K_j$、d$V_j$ 出一次",
    },
}


def column(n):
    """The middle of column n."""
    return LEFT + COL * n + BOX / 2


def box(x, y, name, css):
    """A tile with its name, centred at x."""
    made = s.rect(x - BOX / 2, y, BOX, HIGH, f"tw-{css}", 'rx="4"')
    return made + s.middle(x, y + 19, name, f"tw-t{css}")


def product(n, number, result, css, left, left_css, at, right, right_css):
    """A column: the result in registers, its operands where they live."""
    x = column(n)
    out = [s.path(f"M{x} {B}V{TOP + HIGH + 9}", "tw-way")]
    out.append(s.path(f"M{x - 5} {TOP + HIGH + 9}l5 -8l5 8z", "tw-dot"))
    out += [box(x, TOP, result, css), box(x, at, left, left_css)]
    out.append(box(x, B, right, right_css))
    out.append(f'<circle cx="{x}" cy="{TOP + 62}" r="11" class="tw-paper"/>')
    return [*out, s.middle(x, TOP + 67, str(number), "tw-strong")]


def slant(x, y, to_x, to_y):
    """An arrow along a straight line."""
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    a, b = (to_x - x) / length, (to_y - y) / length
    end_x, end_y = to_x - 8 * a, to_y - 8 * b
    tip = f"M{end_x - 5 * b:.1f} {end_y + 5 * a:.1f}L{to_x} {to_y}"
    tip += f"L{end_x + 5 * b:.1f} {end_y - 5 * a:.1f}z"
    line = s.path(f"M{x} {y}L{end_x:.1f} {end_y:.1f}", "tw-way")
    return line + s.path(tip, "tw-dot")


def registers():
    """What goes from product to product without leaving the registers, and dS."""
    half, low, down = BOX / 2, LOW + HIGH / 2, TOP + HIGH
    at = [column(n) for n in range(5)]
    out = [slant(at[0] + 20, down, at[1] - half, LOW + 8)]
    out.append(slant(at[2] + 20, down, at[3] - half, LOW + 8))
    out.append(slant(at[1] + half, low + 6, at[3] - half, low + 6))
    out.append(slant(at[3] + half, low + 4, at[4] - 12, A))
    out.append(s.text(at[0] + 8, LOW + 44, POWER))
    # keeps the line of product 2 off the words
    out.append(s.rect(at[2] - 40, LOW + 28, 80, 20, "tw-reg tw-bare"))
    return [*out, s.middle(at[2], LOW + 43, "$P$ ∘ (d$P$ − $δ$)", "tw-small")]


def hbm(say):
    """What crosses between SRAM and HBM for a tile; a KiB is half a unit wide."""
    moved, added = ROWS * D * 2 // KIB, ROWS * D * 4 // KIB
    out = [s.rect(1, HBM, WIDTH - 2, 68, "tw-hbm", 'rx="3"')]
    out.append(s.text(9, HBM + 22, "HBM"))
    for n, css in ((1, "o"), (3, "q")):
        up = B + HIGH - HBM
        out.append(s.arrow(column(n), HBM, 0, up, moved / 2, f"tw-{css}"))
    x = LEFT + COL * 5 + 28
    out.append(s.path(f"M{column(4) + BOX / 2} {TOP + 14}H{x}V{B - 9}", "tw-way"))
    out.append(s.path(f"M{x - 5} {B - 9}l5 8l5 -8z", "tw-dot"))
    out.append(s.rect(x - 24, B, 48, HIGH, "tw-q", 'rx="4"'))
    out.append(s.middle(x, B + 19, "d$Q_i$", "tw-tq"))
    out.append(s.arrow(x, B + HIGH, 0, HBM - B - HIGH, added / 2, "tw-q"))
    out.append(s.middle(column(2), HBM + 22, say["in"].format(size=moved)))
    right = WIDTH - 9
    out.append(s.text(right, HBM + 22, say["add"].format(size=added), "tw-tq", "end"))
    return [*out, s.text(9, HBM + 54, say["once"], "tw-small tw-muted")]


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    parts = [s.rect(1, REG, WIDTH - 2, 181, "tw-reg", 'rx="7"')]
    parts.append(s.text(9, REG + 20, say["reg"], "tw-small tw-muted"))
    parts.append(s.rect(1, SRAM, WIDTH - 2, 124, "tw-sram", 'rx="7"'))
    parts.append(s.text(54, SRAM + 20, say["sram"], "tw-small tw-muted"))
    for n, given in enumerate(PRODUCTS):
        parts += product(n, *given)
    parts += registers() + hbm(say)
    return s.svg(WIDTH, HBM + 70, say["label"], *parts)
