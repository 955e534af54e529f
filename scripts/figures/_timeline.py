"""A time table of a loop over tiles: what stays in SRAM how long, what moves when.

`rows` is a list of (tensors, index, height): the tensors of a row share the blocks of
their index, "i" or "j", and a bar lasts as long as the index stays the same.
"""

from itertools import pairwise

from figures import _svg as s

from tilewise.render.parts import holds

LEFT, COL = 84, 78  # the first column, the width of a step
NAME = {"q": "$Q%s$", "k": "$K%s$", "v": "$V%s$", "o": "$O%s$", "l": "$ℓ%s$"}
NAME |= {"m": "$m%s$"} | {"d" + x: f"d{NAME[x]}" for x in "qkvo"}


def colour(names):
    """The colour of a row: that of its first tensor."""
    return "m" if names[0] == "l" else names[0][-1]


def title(names, index):
    """$Q_1$ $ℓ_1$ … for a row or a bar."""
    return " ".join(NAME[x] % f"_{index}" for x in names)


def bars(steps, rows, say, top, height):
    """One bar for every stay of tiles in SRAM, as long as the steps it lasts."""
    out = [s.rect(1, top, 398, height, "tw-sram", 'rx="7"')]
    out.append(s.text(9, top + 16, say["sram"], "tw-small tw-muted"))
    for n in range(len(steps)):
        x, words = LEFT + COL * (n + 0.5), say["step"].format(n=n + 1)
        out.append(s.middle(x, top - 8, words))
    for names, index, y in rows:
        css = colour(names)
        out.append(s.text(9, y + 17, title(names, index), f"tw-t{css}"))
        blocks = [t[index] for t in steps]
        starts = [n for n in range(len(blocks)) if blocks[n] != [None, *blocks][n]]
        for n, end in pairwise([*starts, len(steps)]):
            x, w = LEFT + COL * n, COL * (end - n)
            out.append(s.rect(x + 2, y, w - 4, 24, f"tw-{css}", 'rx="4"'))
            tile = title(names, steps[n][index] + 1)
            out.append(s.middle(x + w / 2, y + 17, tile, f"tw-t{css}"))
    return out


def size(t, name, way):
    """How many numbers a tile of a tensor has."""
    rows = t[holds(t, name, way)]
    return sum(len(row) if isinstance(row, list) else 1 for row in rows)


def moves(n, t, rows, top, unit):
    """Step n's arrows, `unit` wide a number, and {way: numbers moved}."""
    x, right, out = LEFT + COL * n + 4, LEFT + COL * (n + 1) - 6, []
    sums = {"load": 0, "store": 0}
    for names, _, _ in rows:
        for way in sums:
            moved = sum(size(t, z, way) for z in names if z in t[way])
            sums[way] += moved
            half, css = unit * moved / 2, f"tw-{colour(names)}"
            if moved and way == "load":
                out.append(s.arrow(x + half + 3, top - 3, 0, -30, 2 * half, css))
                x += 2 * half + 5
            elif moved:
                out.append(s.arrow(right - half, top - 33, 0, 30, 2 * half, css))
                right -= 2 * half + 5
    return out, sums


def traffic(steps, rows, say, top, unit=1.5):
    """What crosses between HBM and SRAM at each step, and in all."""
    more = 17 * say["io"].count("\n")  # further lines
    out = [s.rect(1, top, 398, 56 + more, "tw-hbm", 'rx="3"')]
    out.append(s.text(9, top + 19, "HBM"))
    total = {"load": 0, "store": 0}
    for n, t in enumerate(steps):
        made, sums = moves(n, t, rows, top, unit)
        words, x = say["io"].format(**sums).split("\n"), LEFT + COL * (n + 0.5)
        out += [*made, *s.lines(x, top + 19, 17, words, "tw-small", "middle")]
        total = {way: total[way] + sums[way] for way in total}
    return [*out, s.text(391, top + 46 + more, say["sum"].format(**total), "", "end")]
