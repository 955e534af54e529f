"""Softmax beside the products: one after another, both in flight, two consumers."""

from draw.figures import _svg as s
from draw.figures._schedule import run

from tilewise.hardware import GPUS

ROWS, COLS, D = 64, 128, 64  # a consumer's tile; d of the picture
LEFT, TOP, LANE, PANEL, WIDE = 2, 22, 24, 90, 396
CYCLES = 3072  # of the picture
UNIT = {"S": "tensor", "O": "tensor", "P": "exp"}
COLOUR = {"S": "s", "P": "s", "O": "o"}
WAYS = {"waits": (1, 0), "flight": (1, 1), "turns": (2, 1)}  # consumers, tiles ahead
SAY = {
    "en": {
        "label": "Time tables of Tensor Cores and exponentials at d = 64. One after"
        " another, the Tensor Cores work {waits} of the time. With two products in"
        " flight, {flight}. With two consumers in turns, {turns}.",
        "waits": "one after another", "flight": "two products in flight",
        "turns": "two consumers, in turns", "busy": "Tensor Cores {}",
    },
    "zh": {
        "label": "d = 64 时 Tensor Core 和指数单元的时间表。串行时，"
        "Tensor Core 有 {waits} 的时间在工作；两次矩阵乘法一起发起时 {flight}；"
        "两个消费者轮流时 {turns}。",
        "waits": "串行", "flight": "两次矩阵乘法一起发起",
        "turns": "两个消费者轮流", "busy": "Tensor Core {}",
    },
}


def work(d):
    """Cycles of an SM for one tile of a consumer: {"S", "P", "O"}."""
    h200 = GPUS["H200"]
    cycles = h200["sms"]["value"] * h200["clock"]["value"]  # of all SMs in a second
    product = 2 * ROWS * COLS * d / round(h200["bf16"]["value"] / cycles)
    exp = ROWS * COLS / h200["exp_per_clock"]["value"]
    return {"S": product, "P": exp, "O": product}


def steps(who, others, d, tiles, ahead):
    """What one consumer does: S, O and P of its tiles; O follows `ahead` tiles later.

    The next S is asked for when this P is done, and when the O before is, since both
    use the same registers; with several consumers, in turns.
    """
    out, time = [], work(d)
    for j in range(tiles + ahead):
        first = [(who, "O", j - 1 - ahead)] if j > ahead else []
        first += [(x, "turn", j - (x > who)) for x in others if j - (x > who) >= 0]
        if j < tiles:
            out.append(((who, "S", j), "tensor", time["S"], first))
        if ahead and j:
            last = [(who, "P", j - 1)] + (first if j == tiles else [])
            out.append(((who, "O", j - 1), "tensor", time["O"], last))
        out.append(((who, "turn", j), f"turn {who}", 0, []))
        if j < tiles:
            out.append(((who, "P", j), "exp", time["P"], [(who, "S", j)]))
        if not ahead:
            out.append(((who, "O", j), "tensor", time["O"], [(who, "P", j)]))
    return out


def schedule(way, d=D, tiles=32):
    """{(consumer, step, tile): (start, end)} of a way to work, in cycles."""
    consumers, ahead = WAYS[way]
    names = range(consumers)
    return run(
        {x: steps(x, [y for y in names if y != x], d, tiles, ahead) for x in names}
    )


def busy(way, d=D, tiles=32):
    """Which share of the time the Tensor Cores work."""
    found = schedule(way, d, tiles)
    worked = sum(b - a for (_, step, _), (a, b) in found.items() if step in "SO")
    return worked / max(end for _, end in found.values())


def bar(x, y, wide, who, step, tile):
    """One step; those of the second consumer are primed."""
    name = f"${step}{'^′' * who}_{tile + 1}$"
    box = s.rect(round(x, 1), y, round(wide, 1), LANE - 3, f"tw-{COLOUR[step]}")
    return [box, s.middle(round(x + wide / 2, 1), y + 15, name, "tw-small")]


def lane(way, name, y):
    """The steps on one unit as far as the picture goes."""
    out, scale = [s.rect(LEFT, y, WIDE, LANE - 3, "tw-slot")], WIDE / CYCLES
    for (who, step, tile), (start, end) in schedule(way).items():
        if UNIT.get(step) == name and end <= CYCLES:
            x, wide = LEFT + scale * start, scale * (end - start)
            out += bar(x, y, wide, who, step, tile)
    return out


def panel(way, say, top):
    """One way to work: its name, what share of the time the products have, lanes."""
    out = [s.text(LEFT, top, say[way], "tw-strong")]
    out.append(s.text(LEFT + WIDE, top, say["busy"].format(share(way)), "", "end"))
    for n, name in enumerate(("tensor", "exp")):
        out += lane(way, name, top + 8 + LANE * n)
    return out


def share(way, d=D):
    """The share of time in percent, as a reader writes it."""
    return f"{100 * busy(way, d):.0f}%"


def draw(lang):
    """The figure in English or Chinese."""
    say, parts = SAY[lang], []
    for n, way in enumerate(WAYS):
        parts += panel(way, say, TOP - 6 + PANEL * n)
    label = say["label"].format(**{way: share(way) for way in WAYS})
    return s.svg(400, TOP + PANEL * len(WAYS) - 32, label, *parts)
