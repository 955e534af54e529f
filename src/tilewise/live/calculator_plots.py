"""The calculator's two plots as trees: [tag, {attribute: value}, child, …].

The page's script builds them as they are, and scripts/draw/tables writes them as SVG. A
mark
is a circle, a square or a diamond, so that the algorithms differ without their colours.
"""

import math

from tilewise.ledger.costs import ALGORITHMS
from tilewise.ledger.units import binary, plain, si, size, time, whole

PLOTS = {"held_bytes": "held_bytes", "bytes": "bytes plot", "seconds": "seconds plot"}
FORMS = {"held_bytes": binary, "bytes": size, "seconds": time}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 344, 260, 58, 328, 22, 216
SHAPES = {
    "standard": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "flash1": "M-4.6-4.6h9.2v9.2h-9.2z",
    "flash2": "M0-6.5l6.5 6.5l-6.5 6.5l-6.5-6.5z",
    "ideal": "M-4-4l8 8m0-8l-8 8",
}


def scale(low, high, start, end):
    """A function from numbers to places: logarithmic, low at start, high at end."""
    length = math.log(high / low)
    return lambda x: start + (end - start) * math.log(x / low) / length


def at(place):
    """A place on the canvas as text: tenths of a unit are enough."""
    return f"{place:.1f}"


def path(cls, d, **more):
    return ["path", {"class": cls, "d": d} | more]


def label(x, y, text, anchor="middle", cls="tw-small"):
    how = {"x": at(x), "y": at(y), "text-anchor": anchor, "class": cls}
    return ["text", how, text]


def mark(name, x, y, hollow=False):
    """The sign of an algorithm, at a place."""
    cls = f"tw-spot tw-of-{name}" + (" tw-hollow" if hollow else "")
    return path(cls, SHAPES[name], transform=f"translate({at(x)} {at(y)})")


def powers(base, low, high):
    """The powers of a base from low to high."""
    k = math.ceil(math.log(low) / math.log(base) - 1e-9)
    ticks = []
    while base**k <= high * 1.001:
        ticks.append(base**k)
        k += 1
    return ticks


def axes(x, y, xs, ys, title):
    """Axes with the ticks xs and ys, each [(value, text)]."""
    parts = [path("tw-rule", f"M{LEFT} {at(y(v))}H{RIGHT}") for v, _ in ys]
    parts.append(path("tw-line", f"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"))
    parts += [label(LEFT - 6, y(v) + 4, text, "end") for v, text in ys]
    parts += [label(x(v), BOTTOM + 17, text) for v, text in xs]
    return parts + [label(RIGHT, BOTTOM + 37, title, "end", "")]


def canvas(role, text, parts):
    box = {"class": "tw", "viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": role}
    return ["svg", box | {"aria-label": text}] + parts


def short(n):
    """A power of two on an axis: 256, 4k, 1M."""
    for unit, name in ((2**30, "G"), (2**20, "M"), (2**10, "k")):
        if n >= unit:
            return f"{n // unit}{name}"
    return str(n)


def chart(layer, what, say):
    """One quantity over N: the drawing, and what a reader who points at N needs.

    x has the place of each N, y those of the marks, in the order of names.
    """
    sweep, by = layer["sweep"], layer["algorithms"]
    ns = sweep["n"]
    names = list(ALGORITHMS) + (["ideal"] if what in sweep["ideal"] else [])
    values = [sweep[name][what] for name in names]
    low, high = min([min(v) for v in values]) / 2, max([max(v) for v in values]) * 2
    x = scale(ns[0], ns[-1], LEFT, RIGHT)
    y = scale(low, high, BOTTOM, TOP)
    here = ns.index(layer["n"])
    xy = [[x(n) for n in ns], [[y(v) for v in row] for row in values]]
    parts = frame(x, y, ns, (low, high), what) + [cursor(xy[0][here])]
    if what == "held_bytes" and low < layer["memory"] < high:
        parts += capacity(layer["memory"], y, say)
    for name, row in zip(names, xy[1]):
        longest = by[name]["longest"] if name in by else ns[-1]
        parts += curve(name, xy[0], row, x(min(max(longest, ns[0]), ns[-1])))
    parts += [mark(name, xy[0][here], row[here]) for name, row in zip(names, xy[1])]
    text = say["chart"].format(what=say[PLOTS[what]], a=whole(ns[0]), b=whole(ns[-1]))
    return {
        "tree": canvas("img", text, parts),
        "names": names,
        "here": here,
        "x": [at(v) for v in xy[0]],
        "y": [[at(v) for v in row] for row in xy[1]],
    }


def frame(x, y, ns, span, what):
    """The axes of a quantity over N, with a tick for every fourth power of two."""
    xs = [(n, short(n)) for n in powers(16, ns[0], ns[-1])]
    ticks = powers(1024 if what == "held_bytes" else 1000, *span)
    return axes(x, y, xs, [(v, plain(FORMS[what](v))) for v in ticks], "N")


def cursor(x):
    """The upright line at the N that is read."""
    place = {"transform": f"translate({at(x)} 0)"}
    return path("tw-faint tw-cursor", f"M0 {TOP}V{BOTTOM}", **place)


def capacity(memory, y, say):
    """The line that no algorithm may cross."""
    text = say["capacity"].format(memory=plain(binary(memory)))
    line = path("tw-room", f"M{LEFT} {at(y(memory))}H{RIGHT}")
    return [line, label(LEFT + 6, y(memory) - 5, text, "start")]


def curve(name, xs, ys, end):
    """A line over N: solid as far as the card holds it, dotted beyond."""
    d = "M" + "L".join([f"{at(a)} {at(b)}" for a, b in zip(xs, ys)])
    box = {"x": LEFT, "y": 0, "width": at(max(0, end - LEFT)), "height": HEIGHT}
    cls = f"tw-curve tw-of-{name}"
    return [
        ["clipPath", {"id": f"tw-until-{name}"}, ["rect", box]],
        path(cls + " tw-beyond", d),
        path(cls, d, **{"clip-path": f"url(#tw-until-{name})"}),
    ]


def roofline(layer, say):
    """The roof of the card, and each algorithm on it, asked for and with a cache."""
    ridge, peak = layer["peak"] / layer["bandwidth"], layer["peak"]
    points = [(name, "once", layer["algorithms"][name]["once"]) for name in ALGORITHMS]
    points += [(name, "asked", layer["algorithms"][name]) for name in ALGORITHMS]
    all_x = [ridge] + [one["intensity"] for _, _, one in points]
    low, high = min(all_x) / 4, max(all_x) * 4
    x = scale(low, high, LEFT, RIGHT)
    foot = layer["bandwidth"] * low
    y = scale(foot, peak * 3, BOTTOM, TOP)
    xs = [(v, plain(si(v, ""))) for v in powers(10, low, high)]
    ys = [(v, plain(si(v, ""))) for v in powers(10, foot, peak * 3)]
    parts = axes(x, y, xs[:: 1 + len(xs) // 6], ys[:: 1 + len(ys) // 6], say["roof x"])
    roof = f"M{LEFT} {at(y(foot))}L{at(x(ridge))} {at(y(peak))}H{RIGHT}"
    parts += [path("tw-way", roof), label(LEFT - 6, TOP - 8, "FLOP/s", "end")]
    for name, how, one in points:
        a, b = x(one["intensity"]), y(one["rate"])
        about = in_words(name, how, one, say)
        box = {"tabindex": "0", "role": "img", "aria-label": about, "class": "tw-place"}
        touch = ["circle", {"class": "tw-touch", "cx": at(a), "cy": at(b), "r": "14"}]
        parts.append(
            ["g", box, ["title", {}, about], touch, mark(name, a, b, how == "once")]
        )
    facts = {"bandwidth": size(layer["bandwidth"]), "peak": si(peak, "FLOP/s")}
    text = say["roof"].format(ridge=si(ridge, "FLOP/B"), **facts)
    return canvas("group", text, parts)


def spoken(name):
    """A name without what guides its line ends."""
    return name.replace("\u00ad", "").replace("\u2011", "-")


def in_words(name, how, one, say):
    """One point of the roofline in words."""
    facts = [si(one["intensity"], "FLOP/B"), si(one["rate"], "FLOP/s")]
    facts += [time(one["seconds"]), say["on " + one["bound"]]]
    who = spoken(say[name]) + say["comma"] + say["how " + how]
    return who + say["colon"] + say["comma"].join(facts)
