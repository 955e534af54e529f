"""The error of O against float64, by how often it was stored and so rounded."""

import math

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line, scale
from draw.tables._counters import row

CASES = [  # batch, heads, N, B_c and warps of K, V outer
    (64, 16, 1024, 256, 8),
    (64, 16, 1024, 128, 4),
    (64, 16, 1024, 64, 4),
    (16, 16, 4096, 128, 4),
    (1, 16, 8192, 128, 4),
]
ONCE, EACH = 0.0022, 0.0011  # the law of the page: the part of each round is fitted
LEFT, RIGHT, TOP, BOTTOM, MOST = 52, 388, 34, 230, 0.010
ORDERS = {"flash1": ("kv-outer", 0.0091), "flash2": ("q-outer", 0.0012)}  # name, y
X = scale(3, 80, LEFT, RIGHT)
SAY = {
    "en": {
        "label": "Error of O relative to float64 against the number of rounds, which is"
        " on a logarithmic axis. {rows}. Keys outside follow the curve of the law.",
        "row": "{rounds} rounds (N = {n}): keys outside {stored}, queries outside"
        " {kept}", "join": "; ", "kv-outer": "$K, V$ outer: stored in each round",
        "q-outer": "$Q$ outer: stored once", "law": "√({once}² + $T_c$ · {each}²)",
        "x": "rounds $T_c$", "y": "error of $O$",
    },
    "zh": {
        "label": "O 相对于 float64 的误差随轮数的变化，横轴是对数刻度。{rows}。"
        "键在外层时，误差沿着公式的曲线增长。",
        "row": "{rounds} 轮（N = {n}）：键在外层 {stored}，查询在外层 {kept}",
        "join": "；", "kv-outer": "$K, V$ 在外层：每轮存一次",
        "q-outer": "$Q$ 在外层：只存一次", "law": "√({once}² + $T_c$ · {each}²)",
        "x": "轮数 $T_c$", "y": "$O$ 的误差",
    },
}


def y(error):
    """The place of an error."""
    return BOTTOM - (BOTTOM - TOP) * error / MOST


def points():
    """(rounds, N, error of keys outside, of queries outside), as measured."""
    out = []
    for batch, heads, n, cols, warps in CASES:
        shape = {"batch": batch, "heads": heads, "n": n}
        stored = row("kv-outer", 64, cols, warps, **shape)["error"]
        kept = row("q-outer", 64, 64, 4, **shape)["error"]
        out.append((n // cols, n, stored, kept))
    return out


def law(rounds):
    """Independent errors add up as squares."""
    return math.sqrt(ONCE**2 + rounds * EACH**2)


def axes(say):
    """Ticks, their numbers, titles."""
    out = [line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for n in range(1, 6):
        at = y(n / 500)
        out.append(line("tw-rule", (LEFT, at), (RIGHT, at)))
        out.append(s.text(LEFT - 6, at + 4, f"{n / 500:.3f}", "tw-small", "end"))
    for rounds in (4, 8, 16, 32, 64):
        at = round(X(rounds), 1)
        out.append(line("tw-line", (at, BOTTOM), (at, BOTTOM + 4)))
        out.append(s.middle(at, BOTTOM + 18, f"{rounds}", "tw-small"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def draw(lang):
    """The figure in English or Chinese."""
    say, found = SAY[lang], points()
    curve = [(X(2**k), y(law(2**k))) for k in (n / 8 for n in range(14, 50))]
    parts = [*axes(say), line("tw-faint", *curve, dashes="4 3")]
    law_text = say["law"].format(once=ONCE, each=EACH)
    parts.append(s.text(RIGHT, y(0.0032), law_text, "tw-small tw-muted", "end"))
    for k, (method, (order, place)) in enumerate(ORDERS.items()):
        for rounds, _, *errors in found:
            parts.append(dot(X(rounds), y(errors[k]), methods.mark(method)))
        name = f"tw-small {methods.name(method)}"
        parts.append(s.text(LEFT + 12, y(place), say[order], name))
    rows = [
        say["row"].format(rounds=r, n=s.count(n), stored=f"{a:.4f}", kept=f"{b:.4f}")
        for r, n, a, b in found
    ]
    label = say["label"].format(rows=say["join"].join(rows))
    return s.svg(400, BOTTOM + 46, label, *parts)
