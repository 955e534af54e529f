"""The calculator's result as a tree: [tag, {attribute: value}, child, …]."""

from tilewise.ledger.costs import ALGORITHMS
from tilewise.ledger.units import binary, si, size, time, whole
from tilewise.live.calculator_plots import FORMS, PLOTS, chart, mark, roofline, spoken
from tilewise.live.calculator_words import WORDS

ROWS = (
    ("fit", ("longest", "held", "saved")),
    ("asked", ("bytes", "flops", "intensity", "rate", "seconds")),
    ("once", ("bytes", "intensity", "seconds")),
    ("chip", ("tile", "sram")),
)


def shown_in(layer, plot, lang):
    """{"said": the sentence in front, "tree": the rest, …} in one language.

    chart, without its tree, has the places of the marks, and read the texts at each N.
    """
    say = WORDS[lang]
    drawn = chart(layer, plot, say)
    tree, names = drawn.pop("tree"), drawn["names"]
    read = readings(layer, plot, names, say)
    legend = [key(name, text, say) for name, text in zip(names, read[drawn["here"]])]
    parts = [
        ["p", {"class": "tw-note"}, about(layer, say)],
        plots(layer, plot, tree, legend, say),
        lengths(layer, plot, names, say),
        scrolling(bill(layer, say)),
        ["p", {}, balance(layer, say)],
        ["p", {"class": "tw-note"}, say["command"], ["code", {}, layer["command"]]],
    ]
    drawn |= {"read": read, "n": [f"N = {whole(n)}" for n in layer["sweep"]["n"]]}
    own = {"tile": layer["tiles"][0], "card": layer["card"], "chart": drawn}
    return own | {"said": headline(layer, say), "tree": ["div", {}] + parts}


def plots(layer, plot, tree, legend, say):
    """The two plots, each with its title before it and its legend after it."""
    title, other = [
        ["p", {"class": "tw-title"}, say[x]] for x in (PLOTS[plot], "roof title")
    ]
    at = ["p", {"class": "tw-at"}, f"N = {whole(layer['n'])}"]
    hint = ["p", {"class": "tw-note"}, say["hint"]]
    left = ["div", {"class": "tw-chart"}, title, tree, at, ["ul", {}] + legend]
    right = ["div", {"class": "tw-roof"}, other, roofline(layer, say), hint]
    return ["div", {"class": "tw-plots"}, left, right]


def headline(layer, say):
    """The answer to both questions: whether N fits, and how long a sequence does."""
    both = [layer["algorithms"][x] for x in ("standard", "flash2")]
    a, b = [x["longest"] for x in both]
    fit = [say["fits" if layer["n"] <= x["longest"] else "beyond"] for x in both]
    held = [binary(x["held_bytes"]) for x in both]
    now = {"n": whole(layer["n"]), "a": held[0], "b": held[1]}
    start = say["now"].format(fits_a=fit[0], fits_b=fit[1], **now)
    facts = {
        "memory": layer["card"]["memory"],
        "standard": whole(a),
        "flash2": whole(b),
    }
    times = layer["times"]
    if not times:
        return start + say["said nothing"].format(**facts)
    times = f"{times:.1f}" if times < 9.95 else whole(times)
    return start + say["said"].format(times=times, **facts)


def about(layer, say):
    """The card in a sentence."""
    return say["card"].format(gpu=layer["gpu"] or say["own"], **layer["card"])


def balance(layer, say):
    """Where FlashAttention-1 and standard attention change sides."""
    leading = f"{layer['leading']:.3g}"
    about, sram, exact = whole(layer["even"]), whole(layer["sram"]), layer["break_even"]
    text = say["even"].format(leading=leading, about=about, sram=sram)
    if layer["causal"]:
        return text + say["masked"]
    if not exact:
        return text + say["never"]
    cols, m = whole(exact["block_cols"]), whole(exact["sram"])
    return text + say["exact"].format(cols=cols, m=m)


def bill(layer, say):
    """The table: a column an algorithm, the rows in four groups."""
    columns = [cells(layer, name, say) for name in ALGORITHMS]
    names = [["th", {"scope": "col"}, say[name]] for name in ALGORITHMS]
    out = ["table", {"class": "tw-bill"}, ["thead", {}, ["tr", {}, ["td", {}]] + names]]
    for group, rows in ROWS:
        head = ["th", {"colspan": "4", "scope": "rowgroup"}, say[group]]
        body = ["tbody", {}, ["tr", {}, head]]
        for row in rows:
            which = "once " + row if group == "once" else row
            line = ["tr", {"data-row": which}, ["th", {"scope": "row"}, say[row]]]
            body.append(line + [["td", {}] + broken(x[which]) for x in columns])
        out.append(body)
    return out


def broken(lines):
    """The lines of a cell: what follows the first stands below it."""
    out = [lines[0]]
    for line in lines[1:]:
        out += [" ", ["small", {}, line]]
    return out


def cells(layer, name, say):
    """{row: lines} of one algorithm."""
    x, width = layer["algorithms"][name], layer["bytes_per_element"]
    tiles = [f"{t['rows']} × {t['cols']}" for t in layer["tiles"]]
    lines = {
        "longest": [whole(x["longest"])],
        "held": [binary(x["held_bytes"])],
        "saved": [binary(x["saved_bytes"])],
        "flops": [si(x["flops"], "FLOP")],
        "rate": [si(x["rate"], "FLOP/s")],
        "tile": [say["none"]] if name == "standard" else tiles,
        "sram": [binary(x["sram"] * width), say["fits" if x["fits"] else "large"]],
    }
    for before, one in (("", x), ("once ", x["once"])):
        lines[before + "bytes"] = [size(one["bytes"])]
        lines[before + "intensity"] = [si(one["intensity"], "FLOP/B")]
        lines[before + "seconds"] = [time(one["seconds"]), say["on " + one["bound"]]]
    return lines


def fits(layer, name, n):
    """Whether the card holds N; the ideal has the memory of FlashAttention-2."""
    return n <= layer["algorithms"]["flash2" if name == "ideal" else name]["longest"]


def exact(what, x):
    """A value to be read: rounded, and bytes, which are counted, exact beside it."""
    text = FORMS[what](x)
    return text if what == "seconds" else f"{text} ({whole(x)} B)"


def readings(layer, what, names, say):
    """For each N, what each line says there."""
    sweep, out = layer["sweep"], []
    for place, n in enumerate(sweep["n"]):
        texts = [exact(what, sweep[name][what][place]) for name in names]
        beyond = [
            "" if fits(layer, x, n) else say["comma"] + say["beyond"] for x in names
        ]
        out.append([text + more for text, more in zip(texts, beyond)])
    return out


def key(name, text, say):
    """A line of the legend: the mark, the name, the value at N."""
    box = {"class": "tw-key-mark", "viewBox": "-8 -8 16 16", "aria-hidden": "true"}
    who = spoken(say[name]) + say["colon"]
    return ["li", {}, ["svg", box, mark(name, 0, 0)], who, ["b", {}, text]]


def lengths(layer, what, names, say):
    """The plot as a table, folded away."""
    sweep = layer["sweep"]
    title = say["caption"].format(what=say[PLOTS[what]])
    head = [["th", {"scope": "col"}, x] for x in ["N"] + [say[x] for x in names]]
    body = ["tbody", {}]
    for place, n in enumerate(sweep["n"]):
        line = ["tr", {}, ["th", {"scope": "row"}, whole(n)]]
        for name in names:
            text = FORMS[what](sweep[name][what][place])
            line.append(["td", {}, text + ("" if fits(layer, name, n) else " *")])
        body.append(line)
    table = [
        "table",
        {"class": "tw-lengths"},
        ["caption", {}, title],
        ["thead", {}, ["tr", {}] + head],
        body,
    ]
    return ["details", {}, ["summary", {}, say["as table"]], scrolling(table)]


def scrolling(table):
    """A table that scrolls by itself on a narrow page."""
    return ["div", {"class": "tw-scroll"}, table]
