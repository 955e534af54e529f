"""The online softmax kernel on row 3 of the example, in blocks of two columns."""

from fractions import Fraction

from draw.figures import _svg as s
from draw.figures._example import row_states as keys

from tilewise.worked_example import two_to

ROW, BLOCK = 2, 2  # counted from 0; the width of a block
SCORES = [t["s"][0][0] for t in keys(ROW)]
WIDE, BOX, CELL, HIGH = 98, 88, 21, 24  # step to step, a step's box, a cell
SAY = {
    "en": {
        "label": "Pass 1 reads the scores {s} in blocks of {b} and carries m and ℓ in"
        " registers: {states}. Pass 2 reads them again and writes the weights {p}.",
        "state": "m = {m}, ℓ = {l}", "then": ", then ",
        "pass1": "pass 1: $m$ and $ℓ$", "pass2": "pass 2: the weights",
        "regs": "registers of one program", "hbm": "HBM: $S$, below it $P$",
        "old": "old $ℓ$ × {f}",
    },
    "zh": {
        "label": "第 1 遍每次读 {b} 个分数（整行为 {s}），m 和 ℓ 一路留在寄存器里："
        "{states}。第 2 遍再读一次，写出权重 {p}。",
        "state": "m = {m}，ℓ = {l}", "then": "，然后 ",
        "pass1": "第 1 遍：$m$ 和 $ℓ$", "pass2": "第 2 遍：权重",
        "regs": "一个程序实例的寄存器", "hbm": "HBM：上面是 $S$，下面是 $P$",
        "old": "旧 $ℓ$ × {f}",
    },
}


def blocks():
    """(first column, scores) of each block of the row."""
    return [(i, SCORES[i : i + BLOCK]) for i in range(0, len(SCORES), BLOCK)]


def states():
    """(m, ℓ, the factor of the old ℓ) after each block, as the kernel computes them."""
    m, l, made = None, Fraction(0), []
    for _, scores in blocks():
        m_new = max([m, *scores] if m is not None else scores)
        factor = two_to(m - m_new) if m is not None else Fraction(0)
        l = factor * l + sum(two_to(x - m_new) for x in scores)
        m = m_new
        made.append((m, l, factor))
    return made


def weights():
    """The row of P."""
    m, l, _ = states()[-1]
    return [two_to(x - m) / l for x in SCORES]


def cells(x, y, values, cls, start=0, cell=CELL):
    """Cells of a row from column start on, with their numbers."""
    out = []
    for j, value in enumerate(values, start):
        at = x + cell * j
        out.append(s.rect(at, y, cell, HIGH, cls))
        number = s.text(at + cell / 2, y + HIGH / 2 + 5, s.num(value))
        out.append(s.group(number, cls="tw-cells"))
    return out


def slots(x, y):
    """The places of a whole row, empty."""
    return [s.rect(x + CELL * j, y, CELL, HIGH, "tw-slot") for j in range(len(SCORES))]


def step(n, x):
    """One block: in HBM, on its way, and what the registers hold then."""
    last, (first, scores) = n >= len(blocks()), blocks()[n % len(blocks())]
    m, l, factor = states()[-1 if last else n]
    row = x + (BOX - CELL * len(SCORES)) / 2
    out = [s.rect(x, 52, BOX, 112, "tw-reg", 'rx="6"')]
    out += cells(x + (BOX - 2 * 34) / 2, 60, scores, "tw-s", cell=34)
    if last:
        part = weights()[first : first + BLOCK]
        out += cells(x + (BOX - 2 * 34) / 2, 130, part, "tw-s", cell=34)
        out.append(s.middle(x + BOX / 2, 112, "$e^{s−m}$/$ℓ$"))
        out.append(s.arrow(x + 64, 168, 0, 42, 2 * BLOCK, "tw-s"))
    else:
        out.append(s.rect(x + 6, 92, BOX - 12, 66, "tw-m", 'rx="4"'))
        for k, line in enumerate((f"$m = {s.num(m)}$", f"$ℓ = {s.num(l)}$")):
            out.append(s.middle(x + BOX / 2, 119 + 26 * k, line, "tw-tm tw-strong"))
    up = x + (24 if last else BOX / 2)
    out.append(s.arrow(up, 210, 0, -42, 2 * BLOCK, "tw-s"))
    out += slots(row, 214) + cells(row, 214, scores, "tw-s", first)
    if last:
        out += slots(row, 248)
        out.append(s.rect(row + CELL * first, 248, CELL * BLOCK, HIGH, "tw-s"))
    return out


def carried(n, x, say):
    """m and ℓ go on to the next block; the factor that the old ℓ takes."""
    out = [s.arrow(x - 9, 132, 13, 0, 4, "tw-m")]
    if 0 < n < len(blocks()):
        words = say["old"].format(f=s.num(states()[n][2]))
        out.append(s.middle(x - 5, 184, words, "tw-tm"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, count = SAY[lang], len(blocks())
    parts = [s.text(4, 18, say["pass1"], "tw-strong")]
    parts.append(s.text(4 + count * WIDE, 18, say["pass2"], "tw-strong"))
    parts.append(s.text(4, 42, say["regs"], "tw-small tw-muted"))
    parts.append(s.rect(2, 206, 396, 96, "tw-hbm", 'rx="6"'))
    parts.append(s.text(10, 295, say["hbm"], "tw-small tw-muted"))
    for n in range(2 * count):
        parts += step(n, 6 + WIDE * n)
        parts += carried(n, 6 + WIDE * n, say) if n else []
    walked = say["then"].join(
        say["state"].format(m=s.num(m), l=s.num(l)) for m, l, _ in states()
    )
    row, made = (s.listed(x, lang) for x in (SCORES, weights()))
    label = say["label"].format(s=row, b=BLOCK, states=walked, p=made)
    return s.svg(400, 306, label, *parts)
