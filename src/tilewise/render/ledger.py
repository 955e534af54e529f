"""The ledger as a table for the terminal, in English or Chinese."""

from tilewise.ledger.units import binary, size, time, whole
from tilewise.render.layout import pad, width
from tilewise.render.ledger_words import LEDGER

NAMES = {"flash1": "FA1", "flash2": "FA2"}


def ledger_lines(bill, lang):
    """Yield the lines: what was counted, the table, where the sides change."""
    words = LEDGER[lang]
    yield from head(bill, words)
    yield ""
    yield from table(rows(bill["algorithms"], words))
    yield ""
    yield words["note"]
    if not bill["causal"] and not bill["window"]:
        even = bill["break_even"] or {}
        filled = {name: whole(x) for name, x in even.items()}
        about = whole(bill["even"])
        yield words["even" if even else "never"].format(**filled, about=about)


def head(bill, words):
    """Yield what was counted, on which tiles and on which card."""
    yield words[bill["pass"]]
    yield ""
    key = "sizes" if bill["n"] == bill["n_k"] else "sizes_kv"
    yield words[key].format(**bill)
    if bill["batch"] * bill["heads"] > 1:
        yield words["layer"].format(**bill)
    if bill["kv_heads"] < bill["heads"]:
        yield words["kv_heads"].format(**bill)
    yield from each_pass(bill, words, "tiles")
    if bill["causal"]:
        yield words["causal"]
    if bill["window"]:
        sides = (words["any"] if x is None else x for x in bill["window"])
        yield words["window"].format(*sides)
    if bill["softcap"] is not None or bill["sink"] is not None:
        yield words["on chip only"]
    key = "sram gpu" if bill["gpu"] else "sram"
    yield words[key].format(elements=whole(bill["sram"]), gpu=bill["gpu"])
    units = {"bandwidth": scale(1e12), "peak": scale(1e12), "memory": binary}
    known = [words[x].format(f(bill[x])) for x, f in units.items() if bill[x]]
    if known:
        yield words["comma"].join(known)
    yield from each_pass(bill, words, "orders {pass}")


def each_pass(bill, words, key):
    """Yield a line for each pass, named where there are two."""
    for tile in bill["tiles"]:
        of = words[f"of {tile['pass']}"] if len(bill["tiles"]) > 1 else ""
        yield of + words[key.format(**tile)].format(**tile)


def scale(unit):
    """A function that writes a number in a unit: 3.35, 989.5."""
    return lambda x: f"{x / unit:.4g}"


def rows(algorithms, words):
    """The cells of the table, its head first; lines of which nothing is known fall."""
    standard = algorithms["standard"]["bytes"]
    cells = {name: column(x, standard, words) for name, x in algorithms.items()}
    yield ("", *(NAMES.get(name) or words[name] for name in cells))
    for key in cells["standard"]:
        values = [x[key] for x in cells.values()]
        if None not in values:
            yield (words[key], *values)


def column(x, standard, words):
    """What is said of one algorithm: {key of the words: text, or None}."""
    answer, once = words["yes" if x["fits"] else "no"], x["once"]
    known = x["seconds"] is not None
    return {
        "reads": whole(x["reads"]),
        "writes": whole(x["writes"]),
        "bytes": size(x["bytes"]),
        "ratio": ratio(x["bytes"] / standard),
        "flops": whole(x["flops"]),
        "intensity": f"{x['intensity']:,.1f}",
        "seconds": time(x["seconds"]) if known else None,
        "bound": words[f"on {x['bound']}"] if known else None,
        "rate": f"{x['rate'] / 1e12:.3g} T" if known else None,
        "once": size(once["bytes"]),
        "once seconds": time(once["seconds"]) if known else None,
        "once bound": words[f"on {once['bound']}"] if known else None,
        "saved": whole(x["saved"]),
        "saved_bytes": binary(x["saved_bytes"]),
        "held_bytes": binary(x["held_bytes"]),
        "longest": None if x["longest"] is None else whole(x["longest"]),
        "on chip": whole(x["sram"]),
        "fits": answer,
    }


def table(cells):
    """Yield lines: the first column aligned on its left, the others on their right."""
    cells = list(cells)
    first, *rest = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for label, *values in cells:
        line = pad(label, first)
        for value, room in zip(values, rest, strict=True):
            line += "  " + " " * (room - width(value)) + value
        yield line.rstrip()


def ratio(x):
    """0.18, 1.00, 23.4; two digits where it is small."""
    return f"{x:.2g}" if x < 0.1 else f"{x:.2f}" if x < 10 else f"{x:,.1f}"
