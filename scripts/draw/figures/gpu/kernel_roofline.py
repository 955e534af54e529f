"""The rungs of the forward ladder under the measured roofline of the H200."""

import statistics

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._bench import bench, tflops
from draw.figures._plot import digits, dot, line, scale
from draw.tables._rungs import NAMES

from tilewise.bench.cells import cell, flops
from tilewise.hardware import CEILINGS

N, D = 4096, 128
LEFT, RIGHT, TOP, BOTTOM = 40, 390, 34, 330
X = scale(16, 8192, LEFT, RIGHT)  # FLOP a byte of DRAM
Y = scale(24, 1024, BOTTOM, TOP)  # TFLOP/s
STEP = 17  # between two names
SAY = {
    "en": {
        "label": "Roofline of the H200 as measured, N = {n}, d = {d}, forward, no mask."
        " {rows}. The roof is {slope} TB/s and {flat} TFLOP/s.",
        "row": "{kernel}: {x} FLOP per byte, {y} TFLOP/s", "join": "; ",
        "x": "FLOP for each byte that DRAM moved", "y": "TFLOP/s",
        "product": "8192³ product",
    },
    "zh": {
        "label": "H200 实测的屋顶线，N = {n}，d = {d}，前向，无掩码。{rows}。"
        "屋顶是 {slope} TB/s 和 {flat} TFLOP/s。",
        "row": "{kernel}：每字节 {x} FLOP，{y} TFLOP/s", "join": "；",
        "x": "算术强度（FLOP/DRAM 字节）", "y": "TFLOP/s", "product": "8192³ 矩阵乘法",
    },
}


def intensity(row):
    """FLOP for each byte that DRAM moved, what was written back later included."""
    shape = cell(row["n"], row["d"], batch=row["batch"], heads=row["heads"])
    parts = (row[key] for key in ("dram_read", "dram_write", "dram_write_after"))
    return flops(shape, "forward") / statistics.median(map(sum, zip(*parts)))


def points():
    """{rung: (FLOP a byte, TFLOP/s)}: bytes counted, speed from the bench."""
    found = {}
    for row in bench("rungs")["rows"]:
        speed = tflops().get(("forward", row["kernel"], N, D, False))
        if (row["n"], row["d"]) == (N, D) and speed:
            found[row["kernel"]] = intensity(row), speed
    return found


def axes(say):
    """Ticks, their numbers, titles."""
    out = [line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for x in (16, 64, 256, 1024, 4096):
        out.append(line("tw-line", (X(x), BOTTOM), (X(x), BOTTOM + 4)))
        out.append(s.middle(round(X(x)), BOTTOM + 18, f"{x}", "tw-small"))
    for y in (32, 64, 128, 256, 512, 1024):
        out.append(line("tw-line", (LEFT - 4, Y(y)), (LEFT, Y(y))))
        out.append(s.text(LEFT - 6, round(Y(y)) + 4, f"{y}", "tw-small", "end"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def names(at, said):
    """The rungs' names beside their points, so far apart that all can be read."""
    out, low = [], TOP + 18
    for kernel, (x, y) in sorted(at.items(), key=lambda item: -item[1][1]):
        place = max(Y(y) + 4, low)
        low = place + STEP
        word, cls = said[kernel], f"tw-small {methods.name(kernel)}"
        if X(x) < (LEFT + RIGHT) / 2:  # nothing to the right
            out.append(s.text(X(x) + 10, Y(y) + 4, word, cls))
            continue
        right = round(X(x)) - 26
        out.append(line("tw-faint", (right + 3, place - 4), (X(x) - 5, Y(y))))
        out.append(s.text(right, round(place), word, cls, "end"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, at = SAY[lang], points()
    flat, slope = (CEILINGS[x]["value"] / 1e12 for x in ("bf16", "hbm"))
    roof = [(16, 16 * slope), (flat / slope, flat), (8192, flat)]
    parts = [*axes(say), line("tw-way", *((X(x), Y(y)) for x, y in roof))]
    parts.append(s.text(RIGHT, round(Y(flat)) - 7, say["product"], "tw-small", "end"))
    parts += names(at, NAMES[lang])
    for kernel, (x, y) in at.items():
        parts.append(dot(X(x), Y(y), methods.mark(kernel)))
    rows = [
        say["row"].format(kernel=NAMES[lang][kernel], x=digits(x, 3), y=f"{y:.0f}")
        for kernel, (x, y) in at.items()
    ]
    facts = {"n": N, "d": D, "slope": digits(slope), "flat": digits(flat)}
    label = say["label"].format(rows=say["join"].join(rows), **facts)
    return s.svg(400, BOTTOM + 46, label, *parts)
