"""The ledger as a table for the terminal, in English or Chinese."""

from tilewise.render.layout import pad, width
from tilewise.render.words import WORDS

NAMES = {"standard": "ledger standard", "flash1": "FA1", "flash2": "FA2"}
UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "RB", "QB")


def ledger_lines(bill, lang):
    """Yield the lines: what was counted, the table, where the sides change."""
    words = WORDS[lang]
    yield from head(bill, words)
    yield ""
    yield from table(rows(bill["algorithms"], words))
    if not bill["causal"]:
        yield ""
        even = bill["break_even"] or {}
        filled = {name: whole(x) for name, x in even.items()}
        yield words["ledger even" if even else "ledger never"].format(**filled)


def head(bill, words):
    """Yield what was counted, and on which tiles."""
    yield words[f"ledger {bill['pass']}"]
    yield ""
    key = "ledger sizes" if bill["n"] == bill["n_k"] else "ledger sizes_kv"
    yield words[key].format(**bill)
    if bill["batch"] * bill["heads"] > 1:
        yield words["ledger layer"].format(**bill)
    yield words["blocks"].format(**bill)
    if bill["causal"]:
        yield words["ledger causal"]
    key = "ledger sram gpu" if bill["gpu"] else "ledger sram"
    yield words[key].format(elements=whole(bill["sram"]), gpu=bill["gpu"])
    yield words[f"ledger orders {bill['pass']}"]


def rows(algorithms, words):
    """The cells of the table, its head first."""
    standard = algorithms["standard"]["bytes"]
    answer = {True: words["ledger yes"], False: words["ledger no"]}
    columns = [
        (
            words.get(NAMES[name], NAMES[name]),
            whole(x["reads"]),
            whole(x["writes"]),
            size(x["bytes"]),
            ratio(x["bytes"] / standard),
            whole(x["flops"]),
            f"{x['intensity']:,.1f}",
            whole(x["saved"]),
            whole(x["sram"]),
            answer[x["fits"]],
        )
        for name, x in algorithms.items()
    ]
    labels = ("reads", "writes", "bytes", "ratio", "flops", "intensity", "saved")
    labels = ["", *(words[f"ledger {x}"] for x in (*labels, "on chip", "fits"))]
    return list(zip(labels, *columns, strict=True))


def table(cells):
    """Yield lines: the first column aligned on its left, the others on their right."""
    first, *rest = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for label, *values in cells:
        line = pad(label, first)
        for value, room in zip(values, rest, strict=True):
            line += "  " + " " * (room - width(value)) + value
        yield line.rstrip()


def whole(x):
    """1,234,567; anything else is rounded to a whole number first."""
    return f"{round(x):,}"


def size(count):
    """Bytes in powers of ten, with three digits: 8.91 MB, 137 GB."""
    power = 0
    while count >= 1000 ** (power + 1) and power + 1 < len(UNITS):
        power += 1
    return f"{count / 1000**power:#.3g}".rstrip(".") + f" {UNITS[power]}"


def ratio(x):
    """0.18, 1.00, 23.4; two digits where it is small."""
    return f"{x:.2g}" if x < 0.1 else f"{x:.2f}" if x < 10 else f"{x:,.1f}"
