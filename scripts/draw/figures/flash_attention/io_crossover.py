"""What one head moves through HBM against the size of SRAM, counted, both axes log."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line, scale

from tilewise import ledger

N, D = 4096, 128
LOW, HIGH = 4000, 4 * N * D  # M, in elements; at 4Nd all keys are one block
SMALL, LARGE = 10**6, 10**9  # elements moved
LEFT, RIGHT, TOP, BOTTOM = 46, 384, 34, 328
X, Y = scale(LOW, HIGH, LEFT, RIGHT), scale(SMALL, LARGE, BOTTOM, TOP)
EVEN, HUNDRED_KB = 3 * D * D, 25_600
GPUS = {"A100": 163 * 1024 // 2, "H100": 227 * 1024 // 2}  # 2-byte elements a block
SAY = {
    "en": {
        "unit": (1e6, 0),
        "label": "Elements that one head of N = {n} and d = {d} moves, against the"
        " elements M that fit in SRAM, both axes logarithmic. Standard attention is a"
        " flat line at {std} million. FlashAttention-1 falls as 1/M, crosses it near"
        " M = 3d² = {even}, and is above it at M = 25,600 with {at} million."
        " FlashAttention-2 with the same outer block runs below FlashAttention-1.",
        "x": "$M$, elements in SRAM", "y": "elements moved",
        "std": "standard: 4$N$² + 4$Nd$", "fa1": "FlashAttention-1",
        "fa1_b": "≈ 12$N$²$d$²/$M$", "fa2": ["FlashAttention-2", "same outer block"],
        "least": "$Q, K, V, O$: 4$Nd$", "even": "$M$ = 3$d$²",
        "kb": "100 KiB of fp32",
    },
    "zh": {
        "unit": (1e8, 2),
        "label": "一个头（N = {n}，d = {d}）搬运的元素个数，怎样随 SRAM 放得下的元素"
        "个数 M 变化，两个坐标轴都是对数刻度。标准注意力是一条水平线，{std} 亿；"
        "FlashAttention-1 与 1/M 成正比，在 M = 3d² = {even} 附近与它相交，"
        "M = 25,600 时还在它上面，是 {at} 亿；"
        "外层块相同的 FlashAttention-2 在 FlashAttention-1 下面。",
        "x": "$M$：SRAM 放得下的元素个数", "y": "搬运的元素个数",
        "std": "标准注意力：4$N$² + 4$Nd$", "fa1": "FlashAttention-1",
        "fa1_b": "≈ 12$N$²$d$²/$M$", "fa2": ["FlashAttention-2", "外层块相同"],
        "least": "$Q, K, V, O$：4$Nd$", "even": "$M$ = 3$d$²",
        "kb": "100 KiB，fp32",
    },
}


def moved(name, m):
    """Elements read and written with the blocks that M gives, FA2 without min(…, d)."""
    if name == "standard":
        bill = ledger.standard_forward(N, D)
    else:
        rows, cols = ledger.block_sizes(m, D)
        rows = cols if name == "flash2" else rows
        bill = getattr(ledger, f"{name}_forward")(N, D, rows, cols)
    return bill["reads"] + bill["writes"]


def curve(name, count=240):
    """The exact count, at many M from LOW to HIGH."""
    ms = [round(LOW * (HIGH / LOW) ** (n / count)) for n in range(count + 1)]
    points = [(X(m), Y(moved(name, m))) for m in ms if moved(name, m) <= LARGE]
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return s.path(d, f"{methods.mark(name)} tw-open")


def axes(say):
    """Ticks, their numbers in powers of ten, titles."""
    out = [line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for power in (4, 5, 6):
        x = X(10**power)
        out.append(line("tw-line", (x, BOTTOM), (x, BOTTOM + 4)))
        name = f"$10^{power}$"
        out.append(s.middle(round(x), BOTTOM + 19, name, "tw-small"))
    for power in (6, 7, 8, 9):
        y = Y(10**power)
        out.append(line("tw-line", (LEFT - 4, y), (LEFT, y)))
        name = f"$10^{power}$"
        out.append(s.text(LEFT - 6, round(y) + 5, name, "tw-small", "end"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def marks(say):
    """The break-even, the example that does not win, and two GPUs."""
    standard = Y(moved("standard", LOW))
    even, hundred = X(EVEN), X(HUNDRED_KB)
    out = [line("tw-faint", (even, standard), (even, BOTTOM), dashes="4 4")]
    out.append(s.text(round(even) + 6, BOTTOM - 60, say["even"], "tw-small"))
    top = Y(moved("flash1", HUNDRED_KB))
    out += [line("tw-faint", (hundred, top), (hundred, standard), dashes="2 3")]
    out.append(dot(hundred, top, methods.mark("flash1")))
    out.append(dot(hundred, standard, methods.mark("standard")))
    return out


def gpus():
    """Where an A100's and an H100's SRAM put FlashAttention-1."""
    out, colour = [], f"tw-small {methods.name('flash1')}"
    for name, m in GPUS.items():
        x, y = X(m), Y(moved("flash1", m))
        out.append(dot(x, y, methods.mark("flash1"), 3.5))
        to, by = (5, -7) if name == "A100" else (8, -1)  # one above the other
        out.append(s.text(round(x) + to, round(y) + by, name, colour))
    return out


def names(say):
    """What the lines and points are."""
    top, std = moved("flash1", HUNDRED_KB), moved("standard", LOW)
    hundred, least, second = X(HUNDRED_KB), Y(4 * N * D), Y(1.8e7)
    plain, first, last = map(methods.name, ("standard", "flash1", "flash2"))
    return [
        s.text(RIGHT, Y(std) - 8, say["std"], plain, "end"),
        s.text(hundred + 9, Y(top) - 21, say["kb"], "tw-small tw-muted"),
        s.text(hundred + 9, Y(top) - 3, f"{top:,}", f"tw-small {first}"),
        s.text(hundred - 8, Y(std) + 18, f"{std:,}", f"tw-small {plain}", "end"),
        s.text(X(11_000), Y(5.4e8), say["fa1"], first),
        s.text(X(11_000), Y(5.4e8) + 18, say["fa1_b"], f"tw-small {first}"),
        s.text(LEFT + 8, second, say["fa2"][0], last),
        s.text(LEFT + 8, second + 18, say["fa2"][1], f"tw-small {last}"),
        line("tw-faint", (LEFT, least), (RIGHT, least), dashes="1 4"),
        s.text(LEFT + 8, least + 17, say["least"], "tw-small tw-muted"),
    ]


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    unit, digits = say["unit"]
    facts = {
        "n": N, "d": D, "even": f"{EVEN:,}",
        "std": f"{moved('standard', LOW) / unit:.{digits}f}",
        "at": f"{moved('flash1', HUNDRED_KB) / unit:.{digits}f}",
    }
    lines = [curve(name) for name in ("standard", "flash2", "flash1")]
    parts = [*axes(say), *lines, *marks(say), *gpus(), *names(say)]
    return s.svg(400, BOTTOM + 46, say["label"].format(**facts), *parts)
