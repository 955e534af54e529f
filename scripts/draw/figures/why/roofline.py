"""Attention under the roofline of the H200: what was measured, on logarithmic axes."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import digits, dot, line, results, scale

from tilewise.hardware import CEILINGS, roofs

SHAPE = {"heads": 32, "d": 64}
SHORT, LONG, DASHES = 1024, 8192, "5 4"
LEFT, RIGHT, TOP, BOTTOM = 40, 394, 34, 372
NAMES, SLOPES = 190, 334  # of the table below: where names begin and numbers end
X = scale(0.25, 8192, LEFT, RIGHT)  # FLOP a byte
Y = scale(0.5, 1024, BOTTOM, TOP)  # TFLOP/s
METHOD = dict.fromkeys(("softmax", "standard", "three_kernels", "qk", "pv"), "standard")
METHOD |= {"flash": "flash2", "cudnn": "cudnn"}  # the others are parts of standard
SAY = {
    "en": {
        "label": "Roofline of the H200, measured. Softmax does {softmax} FLOP for a"
        " byte of HBM and runs at {slow} TFLOP/s, standard attention {standard} FLOP"
        " at {std} TFLOP/s: both under the slope. FlashAttention does {flash} and"
        " more, right of the ridge, and runs at {fast} TFLOP/s with cuDNN.",
        "x": "FLOP for each byte of HBM", "y": "TFLOP/s", "product": "8192³ product",
        "here": "H200 measured", "sheet": "H200 stated",
        "standard": "standard attention", "four": "four kernels",
        "three": "scaling fused", "flash": "FlashAttention-2",
    },
    "zh": {
        "label": "H200 的屋顶线（实测）。softmax 每搬一个字节只做 {softmax} 次"
        "浮点运算，达到 {slow} TFLOP/s；标准注意力做 {standard} 次，"
        "达到 {std} TFLOP/s，两者都在斜坡下面。FlashAttention 做 {flash} 次以上，"
        "位于脊点右侧，用 cuDNN 达到 {fast} TFLOP/s。",
        "x": "算术强度（FLOP/字节）", "y": "TFLOP/s",
        "product": "8192³ 矩阵乘法",
        "here": "H200 实测", "sheet": "H200 标称", "standard": "标准注意力",
        "four": "四个内核", "three": "缩放已融合", "flash": "FlashAttention-2",
    },
}


def point(row):
    """FLOP for each byte that DRAM moved, and TFLOP/s."""
    return row["flops"] / (row["dram_read"] + row["dram_write"]), row["tflops"]


def points():
    """what -> {N: (FLOP a byte, TFLOP/s)} for SHAPE."""
    found = {}
    for row in results("h200-2026-11-20-roofline")["rows"]:
        if row["heads"] == SHAPE["heads"] and row["d"] == SHAPE["d"]:
            found.setdefault(row["what"], {})[row["n"]] = point(row)
    return found


def roof(flops, slope, cls, dashes=""):
    """A slope and a flat roof."""
    low, ridge = 0.25, flops / slope
    ends = [(low, low * slope), (ridge, flops), (8192, flops)]
    return line(cls, *((X(x), Y(y / 1e12)) for x, y in ends), dashes=dashes)


def axes(say):
    """Ticks, their numbers, titles."""
    out = [line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for x in (1, 4, 16, 64, 256, 1024, 4096):
        out.append(line("tw-line", (X(x), BOTTOM), (X(x), BOTTOM + 4)))
        out.append(s.middle(round(X(x)), BOTTOM + 18, f"{x}", "tw-small"))
    for y in (1, 4, 16, 64, 256, 1024):
        out.append(line("tw-line", (LEFT - 4, Y(y)), (LEFT, Y(y))))
        out.append(s.text(LEFT - 6, round(Y(y)) + 4, f"{y}", "tw-small", "end"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def legend(say):
    """Which roof is which, in the empty corner under them."""
    rows = [
        ("tw-way", say["here"], [CEILINGS[x]["value"] for x in ("bf16", "hbm")], "")
    ]
    rows.append(("tw-line", say["sheet"], roofs("H200"), ""))
    rows += [
        ("tw-faint", "H100", roofs("H100"), ""),
        ("tw-faint", "A100", roofs("A100"), DASHES),
    ]
    out = [s.text(SLOPES, 264, "TB/s", "tw-small tw-muted", "end")]
    out.append(s.text(RIGHT, 264, "TFLOP/s", "tw-small tw-muted", "end"))
    for n, (cls, name, (flops, slope), dashes) in enumerate(rows):
        y = 286 + 22 * n
        out.append(line(cls, (NAMES - 18, y - 4), (NAMES - 6, y - 4), dashes=dashes))
        out.append(s.text(NAMES, y, name, "tw-small"))
        for x, value in ((SLOPES, slope), (RIGHT, flops)):
            out.append(s.text(x, y, digits(value / 1e12, 4), "tw-small", "end"))
    return out


def measured(at):
    """Points, N small to N large joined by a line, and what they are."""
    out = []
    for what, method in METHOD.items():
        cls = methods.mark(method)
        small, large = ((X(x), Y(y)) for x, y in (at[what][SHORT], at[what][LONG]))
        if what not in ("qk", "pv"):
            out.append(line(cls, small, large))
            out.append(dot(*large, cls, 3))
        out.append(dot(*small, cls))
    return out


def names(say, at):
    """The names of the points."""
    here = {k: (X(v[SHORT][0]), Y(v[SHORT][1])) for k, v in at.items()}
    run = f"$N$ = {SHORT // 1024}k → {LONG // 1024}k"
    last = Y(at["cudnn"][LONG][1]), Y(at["flash"][LONG][1])
    places = [  # beside which point, right and down of it
        ("standard", 10, 34, say["standard"], methods.name("standard")),
        ("standard", 36, 6, say["four"], "tw-small"),
        ("three_kernels", 34, 8, say["three"], "tw-small"),
        ("softmax", 10, 34, "softmax", methods.name("standard")),
    ]
    out = [s.text(here[p][0] + x, here[p][1] + y, *rest) for p, x, y, *rest in places]
    for p, x, y, *_ in places[1:3]:  # to which points the small names belong
        (left, top), down = here[p], y - 4
        out.append(line("tw-faint", (left + 8, top), (left + x - 4, top + down)))
    return out + [
        s.text(here["pv"][0] - 20, here["pv"][1] + 1, "$Q K^⊤$, $P V$", "", "end"),
        s.text(RIGHT, last[0] - 6, "cuDNN", f"tw-small {methods.name('cudnn')}", "end"),
        s.text(RIGHT, last[1] + 20, say["flash"], methods.name("flash"), "end"),
        s.text(RIGHT, last[1] + 37, run, "tw-small tw-muted", "end"),
        s.text(RIGHT, TOP - 6, say["product"], "tw-small", "end"),
    ]


def draw(lang):
    """The figure in English or Chinese."""
    say, at = SAY[lang], points()
    product = results("h200-2026-11-20-roofline")["matmul"]
    big = X(product["flops"] / product["bytes_compulsory"]), Y(product["tflops"])
    parts = [roof(*roofs("A100"), "tw-faint", DASHES)]
    parts += [roof(*roofs("H100"), "tw-faint"), roof(*roofs("H200"), "tw-line")]
    parts += [roof(CEILINGS["bf16"]["value"], CEILINGS["hbm"]["value"], "tw-way")]
    parts += [*axes(say), *legend(say), *measured(at), *names(say, at)]
    parts.append(dot(*big, "tw-paper"))
    facts = {
        "softmax": digits(at["softmax"][SHORT][0], 2),
        "slow": digits(at["softmax"][SHORT][1], 2),
        "standard": digits(at["standard"][SHORT][0], 2),
        "std": digits(at["standard"][SHORT][1], 2),
        "flash": digits(at["flash"][SHORT][0], 3),
        "fast": digits(at["cudnn"][SHORT][1], 3),
    }
    return s.svg(400, BOTTOM + 46, say["label"].format(**facts), *parts)
