"""A time table of a loop over tiles: what stays in SRAM how long, what moves when.

`rows` is a list of (tensors, index, height): the tensors of a row share the blocks of
their index, "i" or "j", and a bar lasts as long as the index stays the same. They have
a bar a colour, one under the other, and share an arrow with a part a colour.
"""

from itertools import groupby, pairwise

from draw.figures import _svg as s

from tilewise.render.parts import holds

LEFT, COL = 84, 78  # the first column, the width of a step
TALL, PITCH = 20, 23  # a bar, from bar to bar
NAME = {"q": "$Q%s$", "k": "$K%s$", "v": "$V%s$", "o": "$O%s$", "l": "$ℓ%s$"}
NAME |= {"m": "$m%s$"} | {"d" + x: f"d{NAME[x]}" for x in "qkvo"}


def colour(name):
    """The colour of a tensor; a gradient has that of what it belongs to."""
    return "m" if name == "l" else name[-1]


def alike(names):
    """(colour, names) for each run of tensors of one colour."""
    return [(css, [*group]) for css, group in groupby(names, key=colour)]


def placed(rows, y):
    """(tensors, index, height) for rows without heights, and where they end."""
    out = []
    for names, index in rows:
        out.append((names, index, y))
        y += PITCH * len(alike(names))
    return out, y


def title(names, index):
    """$O_1$, or $ℓ_1$ $m_1$, for a row or a bar."""
    return " ".join(NAME[x] % f"_{index}" for x in names)


def stays(steps, names, index, y):
    """The bars of tensors of one colour, and their name at the left."""
    css, blocks = colour(names[0]), [t[index] for t in steps]
    out = [s.text(9, y + 14.5, title(names, index), f"tw-t{css}")]
    starts = [n for n in range(len(blocks)) if blocks[n] != [None, *blocks][n]]
    for n, end in pairwise([*starts, len(steps)]):
        x, wide = LEFT + COL * n, COL * (end - n)
        out.append(s.rect(x + 2, y, wide - 4, TALL, f"tw-{css}", 'rx="4"'))
        tile = title(names, blocks[n] + 1)
        out.append(s.middle(x + wide / 2, y + 14.5, tile, f"tw-t{css}"))
    return out


def bars(steps, rows, say, top, height):
    """One bar for every stay of tiles in SRAM, as long as the steps it lasts."""
    out = [s.rect(1, top, 398, height, "tw-sram", 'rx="7"')]
    out.append(s.text(9, top + 16, say["sram"], "tw-small tw-muted"))
    for n in range(len(steps)):
        x, words = LEFT + COL * (n + 0.5), say["step"].format(n=n + 1)
        out.append(s.middle(x, top - 8, words))
    for names, index, y in rows:
        for n, (_, same) in enumerate(alike(names)):
            out += stays(steps, same, index, y + PITCH * n)
    return out


def size(t, name, way):
    """How many numbers a tile of a tensor has."""
    rows = t[holds(t, name, way)]
    return sum(len(row) if isinstance(row, list) else 1 for row in rows)


def arrow(x, y, dy, unit, parts):
    """A vertical arrow, cut along its length: a part a colour, as wide as it moves."""
    same = groupby(parts, key=lambda part: part[0])
    parts = [(css, unit * sum(wide for _, wide in group)) for css, group in same]
    half = sum(wide for _, wide in parts) / 2
    tip = min(max(5, half + 3), abs(dy))  # as in s.arrow
    way, out, left = (1 if dy > 0 else -1), [], -half
    for n, (css, wide) in enumerate(parts):
        ends = [left if n else -tip, left + wide if n + 1 < len(parts) else tip]
        top = {0} if left < 0 < left + wide else set()
        at = sorted({left, left + wide, *ends} | top)
        edge = [(a, dy - way * abs(a)) for a in at]  # along the head
        neck = dy - way * tip
        base = [(left + wide, neck), (left + wide, 0), (left, 0), (left, neck)]
        points = "L".join(f"{x + a:g} {y + b:g}" for a, b in [*edge, *base])
        out.append(s.path(f"M{points}Z", css))
        left += wide
    return out


def moves(n, t, rows, top, unit):
    """Step n's arrows, `unit` wide a number, and {way: numbers moved}."""
    x, right, out = LEFT + COL * n + 4, LEFT + COL * (n + 1) - 6, []
    sums = {"load": 0, "store": 0}
    for names, _, _ in rows:
        for way in sums:
            parts = [(f"tw-{colour(z)}", size(t, z, way)) for z in names if z in t[way]]
            moved = sum(count for _, count in parts)
            sums[way] += moved
            half = unit * moved / 2
            if moved and way == "load":
                out += arrow(x + half + 3, top - 3, -30, unit, parts)
                x += 2 * half + 5
            elif moved:
                out += arrow(right - half, top - 33, 30, unit, parts)
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
