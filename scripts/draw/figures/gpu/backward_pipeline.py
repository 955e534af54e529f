"""Who waits for whom in the Gluon kernel: a tile's time on one SM, from a schedule."""

from draw.figures import _svg as s
from draw.figures._plot import line
from draw.figures._schedule import run
from draw.tables.why.one_clock import rows

KEYS, ROWS, D = 64, 64, 128  # of a consumer, at d = 128
TILES, SHOWN = 8, 4  # in the schedule; the one in focus, once it is steady
RATE = {name: amount for name, _, amount, _ in rows()}  # an SM's, each clock cycle
PRODUCT = 2 * KEYS * ROWS * D / RATE["bf16"]  # cycles, each of the five
POWERS = KEYS * ROWS / RATE["exp"]
DS = 2 * KEYS * ROWS / RATE["fma"] + 2 * KEYS * ROWS / RATE["shared"]  # into SRAM
PUT = 4 * ROWS * D / 2 / RATE["shared"]  # a consumer's half of dQ, fp32
LOAD = 2 * ROWS * D / RATE["l2"]  # Q or dO
ADD = 4 * ROWS * D / 2 / RATE["l2"]
OWN = "tensor", "load", "add"  # units that work by themselves
BOTH = "0", "1"  # consumers
X, WIDE = (1, 57, 145, 236, 324), (52, 84, 87, 84, 75)  # lanes
TOP, SCALE, BEFORE, PAST = 46, 0.128, 150, 3250  # units a cycle; cycles shown
PRODUCTS = "S", "dP", "dV", "dQ", "dK"
KIND = {  # step → its name in the figure, its colour
    "S": ("$S$", "s"), "dP": ("d$P$", "s"), "dV": ("d$V$", "v"), "dK": ("d$K$", "k"),
    "dQ": ("d$Q$", "q"), "P": ("$P$", "s"), "dS": ("d$S$", "s"), "put": ("d$Q$", "q"),
    "add": ("d$Q$", "q"), "Q": ("$Q$", "q"), "dO": ("d$O$", "o"),
}
SAY = {
    "en": {
        "label": "A time table of one tile on one SM, downwards. Two consumers take"
        " turns at the Tensor Cores: while one computes P and dS, products of the other"
        " run. Both wait for the dS of both before dQ, put their half of dQ into SRAM,"
        " and the TMA unit adds it. When both have their dS, they are done with the"
        " tile before, and Q and dO of the next one are loaded in its place.",
        "lanes": ("load", "consumer 0", "Tensor Cores", "consumer 1", "add"),
        "time": "a tile takes {n} cycles at full rates",
        "busy": "Tensor Cores busy {busy:.0%}, with one consumer {alone:.0%}",
    },
    "zh": {
        "label": "一块在一个 SM 上的时间表，时间向下。两个消费者轮流用 Tensor Core："
        "一个在算 P 和 dS 时，另一个的矩阵乘法在跑。要等两者的 dS 都好了才算 dQ，"
        "各自把一半 dQ 放进 SRAM，由 TMA 单元累加。"
        "两者都算完 dS，就放开了前一块，下一块的 Q 和 dO 便加载到它的位置。",
        "lanes": ("加载", "消费者 0", "Tensor Core", "消费者 1", "累加"),
        "time": "按满速算，每块 {n} 个周期",
        "busy": "Tensor Core 忙 {busy:.0%}；只有一个消费者时 {alone:.0%}",
    },
}


def consumer(w, both):
    """A consumer's steps in its order: (step, unit, cycles, steps it waits for)."""
    for i in range(TILES):
        yield ("S", i, w), "tensor", PRODUCT, [("Q", i)]
        yield ("dP", i, w), "tensor", PRODUCT, [("dO", i)]
        yield ("P", i, w), "exp", POWERS, [("S", i, w)]
        yield ("dS", i, w), w, DS, [("dP", i, w)]
        if i:
            yield ("free", i - 1, w), w, 0, []
        yield ("dV", i, w), "tensor", PRODUCT, []
        yield ("dQ", i, w), "tensor", PRODUCT, [("dS", i, x) for x in both]
        yield ("dK", i, w), "tensor", PRODUCT, [("dV", i, w)]
        room = [("add", i - 1, w)] if i else []
        yield ("put", i, w), w, PUT, [("dQ", i, w), *room]
        yield ("end", i, w), w, 0, [("dK", i, w)]


def schedule(both=BOTH):
    """{step: (start, end)} of all tiles: two stages of Q and dO, room for a dQ each."""
    threads = {w: consumer(w, both) for w in both} | {"load": [], "add": []}
    for i in range(TILES):
        free = [("free", i - 2, w) for w in both] if i > 1 else []
        threads["load"].append((("Q", i), "load", LOAD, free))
        threads["load"].append((("dO", i), "load", LOAD, []))
        threads["add"] += [(("add", i, w), "add", ADD, [("put", i, w)]) for w in both]
    return run(threads, own=OWN)


def busy(both=BOTH):
    """(Cycles a tile once it is steady, the share of them that tensor cores work)."""
    found = schedule(both)
    period = found["S", SHOWN + 1, "0"][0] - found["S", SHOWN, "0"][0]
    return period, 5 * len(both) * PRODUCT / period


def place(step):
    """Left edge and width of a step's block; each consumer has a side of a lane."""
    kind, w = step[0], step[-1]
    lane = {"Q": 0, "dO": 0, "add": 4}.get(kind, 1 if w == "0" else 3)
    if kind in PRODUCTS:
        return X[2] + (0 if w == "0" else 18), WIDE[2] - 18
    return X[lane], WIDE[lane]


def block(step, top, bottom):
    """A step as a block with its name; those of other tiles are outlines."""
    name, css = KIND[step[0]]
    if len(step) == 2:  # loads: of which tile
        name += {SHOWN + 1: " +1"}.get(step[1], "")
    x, wide = place(step)
    ours = len(step) == 2 or step[1] == SHOWN
    look, ink, more = f"tw-{css}", f"tw-t{css}", 'rx="3"'
    if not ours:
        look, ink, more = f"{look} tw-open", "tw-muted", f'{more} stroke-opacity="0.7"'
    made = [s.rect(x + 1, top + 1, wide - 2, bottom - top - 2, look, more)]
    if bottom - top > 14:
        small = len(step) == 2 or bottom - top < 18
        cls = ink + small * " tw-small"
        made.append(s.middle(x + wide / 2, (top + bottom) / 2 + 5, name, cls))
    return s.group(*made)


def waits(at):
    """Lines to what a step of the tile waits for in another lane."""
    out = []
    for w, x, side in (("0", X[1] + 20, 0), ("1", X[3] + 64, WIDE[2] - 18)):
        ready = at["dS", SHOWN, w][1]
        for other in BOTH:
            y = at["dQ", SHOWN, other][0] + 16
            left, sign = place(("dQ", SHOWN, other))[0] + side, 1 if w == "0" else -1
            out.append(s.path(f"M{x} {ready:.1f}V{y:.1f}H{left - 6 * sign}", "tw-way"))
            out.append(s.path(f"M{left} {y:.1f}l{-8 * sign} -5v10z", "tw-dot"))
    y = at["dQ", SHOWN, "0"][0]  # past the names, between two blocks
    ends = (X[3] + 64, y), (X[0] + WIDE[0] + 5, y)
    out.append(line("tw-way", *ends, dashes="5 4"))
    tip = f"M{X[0] + WIDE[0]} {y:.1f}l7 -5v10z"
    return [*out, s.path(tip, "tw-dot")]


def draw(lang):
    """The figure in English or Chinese."""
    say, found = SAY[lang], schedule()
    begin = found["S", SHOWN, "0"][0] - BEFORE
    high, parts = SCALE * (PAST + BEFORE), []
    for name, x, wide in zip(say["lanes"], X, WIDE):
        parts.append(s.middle(x + wide / 2, 22, name, "tw-small"))
        parts.append(s.rect(x, TOP - 12, wide, high + 12, "tw-slot", 'rx="4"'))
    at = {}
    for step, (start, end) in found.items():
        top, bottom = (TOP + SCALE * (t - begin) for t in (start, end))
        at[step] = top, bottom
    for step, (top, bottom) in at.items():
        top, bottom = max(top, TOP - 10), min(bottom, TOP + high - 2)
        if step[0] not in ("free", "end") and bottom - top > 2:
            parts.append(block(step, top, bottom))
    parts += waits(at)  # above the blocks, past their names
    (period, share), (_, alone) = busy(), busy(BOTH[:1])
    words = say["time"].format(n=s.count(round(period)))
    parts.append(s.middle(200, TOP + high + 24, words))
    words = say["busy"].format(busy=share, alone=alone)
    parts.append(s.middle(200, TOP + high + 45, words))
    return s.svg(400, TOP + high + 54, say["label"], *parts)
