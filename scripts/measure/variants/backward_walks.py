"""Measure what programs gain that go on, and from half of K in registers, on Hopper.

    python scripts/measure/variants/backward_walks.py

Writes benchmarks/results/<gpu>-<date>-backward-walks.json.
"""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._backward_variants import ONE_WALK
from measure.variants._order_variants import with_order
from measure.variants._variants import BACKWARD, METHOD, changed, measure, saved

VARIANTS = {  # name: (what it is, [(text, text instead)])
    "one_walk": ("a program for each walk", [ONE_WALK]),
    "always": (
        "programs go on, however long their walks are",
        [("(dims == 128 or cols <= 32) and ", "")],
    ),
    "whole_k": (
        "all of K is read from shared memory, and none of it from registers",
        [("return masked and rooms > 2 and d == 128", "return False")],
    ),
    "half_k": (
        "half of K is in registers without a mask too",
        [("return masked and rooms", "return rooms")],
    ),
    "ordered": ("dQ is added up in one order: a program for each walk", []),
}


def text(name):
    """The source of a variant, four files in one; of the kernel itself for "base"."""
    return changed(name, BACKWARD, VARIANTS[name][1] if name != "base" else ())


def runs(modules, n, d, causal):
    """{variant: its backward pass on the input of a cell}."""
    given = saved(n, d, causal)
    found = {
        name: partial(module.backward, *given, causal=causal)
        for name, module in modules.items()
    }
    return found | {"ordered": with_order(found["ordered"])}


if __name__ == "__main__":
    texts = {name: text(name) for name in ("base", *VARIANTS)}
    what = {name: said for name, (said, _) in VARIANTS.items()}
    rows = list(measure(texts, runs, products=5))
    write("backward-walks", METHOD, {"variants": what, "rows": rows})
