"""Variants of a Gluon kernel, one idea changed: their speed beside it, as a table."""

from draw.figures._plot import results

from tilewise.bench.cells import DIMS, geometric


def speed(rows, variant, d):
    """The geometric mean, over a head dimension's cells, of its relative speed."""
    found = [x for x in rows if (x["variant"], x["d"]) == (variant, d)]
    return f" {geometric([x['base_ms'] / x['ms'] for x in found]):.2f}" if found else ""


def lines(file, names):
    """A line of a Markdown table for each of names {variant: words}."""
    rows = results(file)["rows"]
    for variant, words in names.items():
        cells = "".join(f"{speed(rows, variant, d)} |" for d in DIMS)
        yield f"| {words} |{cells}"


def table(file, head, names):
    """A Markdown table of these lines."""
    first = f"| {head} |" + "".join(f" $d$ = {d} |" for d in DIMS)
    marks = "|---" * (1 + head.count(" | ")) + "|--:|--:|"
    return "\n".join([first, marks, *lines(file, names)])
