"""What adding up dQ in one order costs our backward pass, as measured on one H200."""

from functools import cache

from draw.figures._plot import results

NAME = "h200-2026-11-24-backward-order"


def from_the_last(n, d, causal):
    """Whether the kernel starts with early keys and walks from the last tile up."""
    return d == 128 and causal and n >= 4096


@cache
def rows():
    """{(variant, (n, d, causal)): row}, times beside those in any order."""
    found = results(NAME)["rows"]
    return {(x["variant"], (x["n"], x["d"], x["causal"])): x for x in found}


@cache
def turns():
    """{(n, d, causal): time over that in any order}, in the order the kernel takes."""
    cells = [cell for variant, cell in rows() if variant == "ordered"]
    names = {x: "ordered_back" if from_the_last(*x) else "ordered" for x in cells}
    chosen = {x: rows()[names[x], x] for x in cells}
    return {x: row["ms"] / row["base_ms"] for x, row in chosen.items()}
