"""How long one load takes as its addresses spread: a step for each memory level."""

from draw.figures import _svg as s
from draw.figures._plot import dot, line, results, scale

from tilewise.hardware import GPUS

LEFT, RIGHT, TOP, BOTTOM, MOST = 40, 394, 30, 270, 720
FIRST, LAST = 2**14, 2**30
X = scale(FIRST, LAST, LEFT, RIGHT)
SAY = {
    "en": {
        "label": "Clock cycles for one load on an H200, by the size of the set that the"
        " loads go through: {l1} from L1, {l2} from L2, {hbm} from HBM. A multiply-add"
        " on registers takes {fma}.",
        "y": "cycles per load", "x": "size of the range",
        "fma": "one multiply-add: {fma}",
    },
    "zh": {
        "label": "H200 上每次加载的时钟周期数，随访问范围的大小变化：命中 L1 时 {l1}，"
        "命中 L2 时 {l2}，来自 HBM 时 {hbm}。在寄存器上做一次乘加是 {fma}。",
        "y": "每次加载的周期数", "x": "访问范围的大小", "fma": "一次乘加：{fma}",
    },
}


def height(cycles):
    """Cycles on the axis: linear, so that the steps can be compared by eye."""
    return BOTTOM - (BOTTOM - TOP) * cycles / MOST


def axes(say):
    """Ticks, their numbers, titles."""
    out = [line("tw-line", (LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for x, name in (
        (14, "16 KiB"),
        (18, "256 KiB"),
        (22, "4 MiB"),
        (26, "64 MiB"),
        (30, "1 GiB"),
    ):
        at = X(2**x)
        out.append(line("tw-line", (at, BOTTOM), (at, BOTTOM + 4)))
        anchor = {14: "", 30: "end"}.get(x, "middle")
        out.append(s.text(round(at), BOTTOM + 18, name, "tw-small", anchor))
    for y in range(0, MOST, 200):
        out.append(line("tw-line", (LEFT - 4, height(y)), (LEFT, height(y))))
        out.append(s.text(LEFT - 7, round(height(y)) + 4, f"{y}", "tw-small", "end"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def steps(levels, rows):
    """The levels as bands, the measured points, the name of each step."""
    h200 = GPUS["H200"]["levels"]
    edges = [FIRST, h200["shared"]["with_l1_per_sm"]["value"]]
    edges += [h200["l2"]["capacity"]["value"], LAST]
    out = []
    for n, cls in enumerate(("tw-sram", "tw-sram", "tw-hbm")):
        left, right = round(X(edges[n]), 1), round(X(edges[n + 1]), 1)
        out.append(s.rect(left, TOP, right - left, BOTTOM - TOP, cls))
    points = [(X(r["bytes"]), height(r["cycles"])) for r in rows]
    out += [line("tw-way", *points), *(dot(x, y, "tw-paper", 3) for x, y in points)]
    for edge, level, down in zip(
        edges, ("l1", "l2", "hbm"), (-12, -12, 24), strict=False
    ):
        place = round(X(edge)) + 12, round(height(levels[level])) + down
        out.append(s.text(*place, f"{level.upper()}: {levels[level]}", "tw-strong"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, found = SAY[lang], results("h200-2026-11-20-latency")
    levels = {k: round(v["cycles"]["median"]) for k, v in found["latency"].items()}
    levels["fma"] = round(found["operations"]["fma"]["latency_cycles"]["median"])
    low = height(levels["fma"])
    out = steps(levels, found["latency_by_set"])
    out.append(line("tw-m", (LEFT, low), (RIGHT, low)))
    name = say["fma"].format(**levels)
    edge = round(X(GPUS["H200"]["levels"]["l2"]["capacity"]["value"]))
    out.append(s.text(edge - 6, BOTTOM - 10, name, "tw-tm", "end"))
    return s.svg(400, 314, say["label"].format(**levels), *out, *axes(say))
