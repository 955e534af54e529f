"""Two tiles of the Gluon backward pass, as the kernel's own stamps tell it."""

import re

from draw.figures import _svg as s
from draw.figures._plot import clock, results
from draw.tables.gpu.backward_timeline import FILE, D

POINTS = ["begin", "scores", "dp", "ds", "dq"]  # of the run that is drawn
NUMBER = {"begin": 0, "scores": 3, "dp": 4, "ds": 5, "dq": 8}
LEFT, TOP, LANE, WIDE = 2, 34, 46, 466
FIRST, CYCLES = 9, 7200  # the tile that begins the picture, and how far it goes
STEPS = (  # from, to, colour class, name
    ("begin", "scores", "tw-s", "$S^⊤$"),
    ("scores", "dp", "tw-s", "$P^⊤$"),
    ("dp", "ds", "tw-s", "d$S^⊤$"),
    ("ds", "dq", "tw-v", "d$V$, d$Q$"),
    ("dq", "begin", "tw-k", "d$K$"),
)
SAY = {
    "en": {
        "label": "Time lines of one program over two tiles. Each consumer goes through"
        " S, P and dP, dS, dV and dQ, dK; consumer 1 is some 300 cycles ahead. The"
        " warp that fetches waits nearly all the time, and the warp that adds dQ is"
        " busy for about half of it.",
        "consumer 0": "consumer 0", "consumer 1": "consumer 1",
        "producer": "the warp that fetches", "adder": "the warp that adds d$Q$",
        "axis": "cycles", "waits": "waits",
    },
    "zh": {
        "label": "一个程序处理两块的时间线。每个消费者依次经过 S，P 和 dP，dS，"
        "dV 和 dQ，dK；消费者 1 早约 300 个周期。取数据的 warp 几乎一直在等，"
        "累加 dQ 的 warp 约有一半时间在忙。",
        "consumer 0": "消费者 0", "consumer 1": "消费者 1",
        "producer": "取数据的 warp", "adder": "累加 d$Q$ 的 warp",
        "axis": "周期", "waits": "等待",
    },
}


def strip():
    """{role: {tile: {number of a point: cycles since the picture's beginning}}}."""
    runs = results(FILE)["passes"]["backward"][D]
    run = next(x for x in runs if x["points"] == POINTS)
    zero = next(x for x in run["strip"]["consumer 1"] if x[0] == FIRST)[1]
    return {
        role: {
            tile: {
                i: (x - zero + 2**31) % 2**32 - 2**31  # the counter has 32 bits
                for i, x in enumerate(points)
                if x is not None
            }
            for tile, *points in tiles
        }
        for role, tiles in run["strip"].items()
    }


def spans(role, tiles):
    """(begin, end, class, name) of what a role does; class None: it waits."""
    for tile, at in tiles.items():
        if role.startswith("consumer"):
            for a, b, cls, name in STEPS:
                after = tiles.get(tile + 1, {}) if b == "begin" else at
                if NUMBER[b] in after:
                    yield at[NUMBER[a]], after[NUMBER[b]], cls, name
        elif role == "producer":
            yield at[0], at[1], None, "waits"
            yield at[1], at[2], "tw-q", ""
        else:
            yield at[0], at[1], None, "waits"
            yield at[1], at[3], "tw-q", ""


def room(words):
    """What a name takes in the widest font; Chinese characters are twice as wide."""
    plain = re.sub(r"[$^]", "", words)
    return 6 + sum(14 if x > "\u2fff" else 7 for x in plain) if words else WIDE


def lane(role, tiles, say, y):
    """A role's name and its bar, cut where the picture begins and ends."""
    out, scale = [s.text(LEFT, y - 5, say[role])], WIDE / CYCLES
    for begin, end, cls, name in spans(role, tiles):
        begin, end = max(begin, 0), min(end, CYCLES)
        wide = scale * (end - begin)
        if wide <= 0:
            continue
        x = LEFT + scale * begin
        box = round(x, 1), y, round(wide, 1), LANE - 24
        out.append(s.rect(*box, cls or "tw-slot"))
        words = say.get(name, name)
        if wide > room(words):
            out.append(s.middle(round(x + wide / 2, 1), y + 16, words, "tw-small"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, found = SAY[lang], [], strip()
    for i, role in enumerate(("consumer 0", "consumer 1", "producer", "adder")):
        parts += lane(role, found[role], say, TOP - 14 + LANE * i)
    bottom = TOP - 14 + 4 * LANE - 14
    parts += clock(LEFT, WIDE, bottom, CYCLES, 2000, say["axis"])
    return s.svg(470, TOP + 4 * LANE - 4, say["label"], *parts)
