"""Measure the Gluon forward pass beside itself with one thing changed, on Hopper.

    python scripts/measure/variants/forward_variants.py

Writes benchmarks/results/<gpu>-<date>-forward-variants.json.
"""

import sys
from functools import partial
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._forward_variants import VARIANTS, text
from measure.variants._variants import METHOD, measure


def runs(modules, n, d, causal):
    """{variant: its forward pass on the input of a cell}, for those of this d."""
    shape = 16384 // n, 2048 // d, n, d
    q, k, v = (torch.randn(shape, device="cuda").bfloat16() for _ in range(3))
    made = {"base": partial(modules["base"].forward, q, k, v, causal=causal)}
    for name, variant in VARIANTS.items():
        if d in variant["dims"]:
            forward = modules[name].forward
            made[name] = partial(forward, q, k, v, causal=causal, **variant["tile"])
    return made


if __name__ == "__main__":
    texts = {name: text(name) for name in ("base", *VARIANTS)}
    what = {name: variant["what"] for name, variant in VARIANTS.items()}
    rows = list(measure(texts, runs, products=2))
    write("forward-variants", METHOD, {"variants": what, "rows": rows})
