"""Measure the Gluon backward pass beside itself with one thing changed, on Hopper.

    python scripts/measure/variants/backward_variants.py

Writes benchmarks/results/<gpu>-<date>-backward-variants.json.
"""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._backward_variants import VARIANTS, text
from measure.variants._variants import METHOD, measure, saved


def runs(modules, n, d, causal):
    """{variant: its backward pass on the input of a cell}."""
    given = saved(n, d, causal)
    return {
        name: partial(module.backward, *given, causal=causal)
        for name, module in modules.items()
    }


if __name__ == "__main__":
    texts = {name: text(name) for name in ("base", *VARIANTS)}
    what = {name: said for name, (said, _) in VARIANTS.items()}
    rows = list(measure(texts, runs, products=5))
    write("backward-variants", METHOD, {"variants": what, "rows": rows})
