"""Time lines of the roles of one program, from the stamps in the Gluon kernels.

A strip is (pass, d, points, zero, cycles, roles): the run with stamps at these points,
the (role, tile) whose first stamp begins the picture, how far it goes, and for each
role its steps (from, to, class, label, key): point numbers, where "to" 0 is the next
tile's begin. Label is written into the field and key names the step for the widget.
"""

import json
import re

from draw.figures import _svg as s
from draw.figures._plot import clock, results

FILE = "h100-2026-11-24-timeline"
LEFT, TOP, LANE, WIDE, HIGH = 2, 20, 46, 396, 22


def run(strip):
    """What the measurement has of a strip's run."""
    way, d, points, *_ = strip
    runs = results(FILE)["passes"][way][d]
    return next(x for x in runs if x["points"] == points.split())


def stamps(strip):
    """{role: {tile: {number of a point: cycles since the picture's beginning}}}."""
    found, (role, first) = run(strip)["strip"], strip[3]
    zero = next(x for x in found[role] if x[0] == first)[1]
    return {
        role: {
            tile: {
                i: (x - zero + 2**31) % 2**32 - 2**31  # the counter has 32 bits
                for i, x in enumerate(points)
                if x is not None
            }
            for tile, *points in tiles
        }
        for role, tiles in found.items()
    }


def spans(strip, role):
    """(begin, end, step, tile) of what a role does in the picture, in order."""
    tiles, end = stamps(strip)[role], strip[4]
    for tile, at in tiles.items():
        for step in strip[5][role]:
            a, b = step[:2]
            after = at if b else tiles.get(tile + 1, {})
            if a in at and b in after and at[a] < end and after[b] > 0:
                yield at[a], after[b], step, tile


def room(words):
    """What a name takes in the widest font; Chinese characters are twice as wide."""
    plain = re.sub(r"[$^]", "", words)
    return 6 + sum(14 if x > "\u2fff" else 7 for x in plain) if words else WIDE


def lane(strip, role, say, y):
    """A role's name and its bar, cut where the picture begins and ends."""
    out, scale = [s.text(LEFT, y - 5, say[role])], WIDE / strip[4]
    for begin, end, (_, _, cls, name, _), _ in spans(strip, role):
        x, right = (scale * min(max(t, 0), strip[4]) for t in (begin, end))
        wide = right - x
        x += LEFT
        box = round(x), y, round(x + wide) - round(x), HIGH
        out.append(s.rect(*box, cls or "tw-slot"))
        words = say.get(name, name)
        if wide > room(words):
            out.append(s.middle(round(x + wide / 2), y + 16, words, "tw-small"))
    return out


def bottom(strip):
    """Where the axis is."""
    return TOP + LANE * len(strip[5]) - 14


def key(strip, say):
    """What the colours without a name in their fields are, above the first lane."""
    out, x, steps = [], LEFT + WIDE, next(iter(strip[5].values()))
    for _, _, cls, _, step in reversed(steps):
        if step in say and cls:
            x -= room(say[step])
            out.append(s.text(x, TOP - 5, say[step], "tw-small"))
            x -= 20
            out.append(s.path(f"M{x} {TOP - 14}h14v9h-14Z", cls))
            x -= 8
    return out


def draw(strip, say):
    """The figure: a lane for each role above an axis of cycles."""
    parts = key(strip, say)
    for i, role in enumerate(strip[5]):
        parts += lane(strip, role, say, TOP + LANE * i)
    parts += clock(LEFT, WIDE, bottom(strip), strip[4], 2000, say["axis"])
    return s.svg(400, bottom(strip) + 24, say["label"], *parts)


def film(strip):
    """The same for the widget, in JSON: where the bars are, and each step of a role."""
    lanes = {
        role: [[a, b, step[4], tile] for a, b, step, tile in spans(strip, role)]
        for role in strip[5]
    }
    box = [LEFT, TOP, WIDE, bottom(strip) - TOP]
    made = {"cycles": strip[4], "box": box, "lanes": lanes}
    return json.dumps(made, separators=(",", ":"))
