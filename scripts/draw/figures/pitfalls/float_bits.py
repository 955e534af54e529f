"""The bits of five number formats, drawn around the border of exponent and fraction."""

from draw.figures import _svg as s

from tilewise.rounding import FORMATS

BIT, BORDER, TOP, STEP, HEIGHT = 5.3, 118, 34, 40, 25
SAY = {
    "en": {
        "label": "Bits of five formats. Exponent and fraction: {all}. One more bit is"
        " the sign. TF32 has the exponent of fp32 and the fraction of fp16.",
        "each": "{name} {exponent} and {fraction}", "join": ", ",
        "exponent": "exponent: range", "fraction": "fraction: precision",
    },
    "zh": {
        "label": "五种格式的位。指数位和尾数位：{all}。另有一位是符号。TF32 的指数位和"
        " fp32 一样多，尾数位和 fp16 一样多。",
        "each": "{name} 是 {exponent} 和 {fraction}", "join": "，",
        "exponent": "指数：范围", "fraction": "尾数：精度",
    },
}


def box(x, y, bits, cls):
    """So many bits: a box, with a short rule between one and the next."""
    rules = "".join(f"M{x + BIT * n:g} {y}v4" for n in range(1, bits))
    out = [s.rect(x, y, BIT * bits, HEIGHT, cls), s.path(rules, "tw-faint")]
    return [*out, s.middle(round(x + BIT * bits / 2, 1), y + 19, f"{bits}", "tw-small")]


def row(y, name, exponent, fraction):
    """One format: sign and exponent end at the border, the fraction begins there."""
    left = BORDER - BIT * exponent
    out = [s.text(4, y + 17, name, "tw-strong")]
    out.append(s.rect(left - BIT, y, BIT, HEIGHT, "tw-paper"))
    out += box(left, y, exponent, "tw-sram")
    return out + box(BORDER, y, fraction, "tw-hbm")


def draw(lang):
    """The figure in English or Chinese."""
    say, out = SAY[lang], []
    for n, (name, bits) in enumerate(FORMATS.items()):
        out += row(TOP + STEP * n, name, *bits)
    out.append(s.text(BORDER - 4, TOP - 10, say["exponent"], "tw-small", "end"))
    out.append(s.text(BORDER + 4, TOP - 10, say["fraction"], "tw-small"))
    bottom = TOP + STEP * (len(FORMATS) - 1) + HEIGHT
    out.append(s.path(f"M{BORDER} {TOP - 24}V{bottom + 8}", "tw-line"))
    each = [
        say["each"].format(name=name, exponent=e, fraction=f)
        for name, (e, f) in FORMATS.items()
    ]
    label = say["label"].format(all=say["join"].join(each))
    return s.svg(400, bottom + 14, label, *out)
