"""What several pages count alike."""

from draw.figures._bench import newest
from draw.figures._plot import results

from tilewise.bench.cells import geometric


def moved(count):
    """Elements that cross between HBM and the chip."""
    return count["reads"] + count["writes"]


def span(name, ratios, digits=2):
    """The least and the most, as name_least and name_most."""
    ratios = list(ratios)
    yield f"{name}_least", f"{min(ratios):.{digits}f}"
    yield f"{name}_most", f"{max(ratios):.{digits}f}"


def variant(run, name, **cells):
    """The geometric mean of a variant's speed beside its kernel's, in these cells."""
    rows = results(newest(run).stem)["rows"]
    chosen = [x for x in rows if (cells | {"variant": name}).items() <= x.items()]
    return geometric([x["base_ms"] / x["ms"] for x in chosen])
