"""Measure the Gluon backward pass beside itself with one thing changed, on Hopper.

    python scripts/measure/variants/backward_variants.py

Writes benchmarks/results/<gpu>-<date>-backward-variants.json.
"""

import sys
from functools import partial
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._backward_variants import VARIANTS, text
from measure.variants._variants import METHOD, measure


def runs(modules, n, d, causal):
    """{variant: its backward pass on the input of a cell}."""
    shape = 16384 // n, 2048 // d, n, d
    q, k, v, do = (torch.randn(shape, device="cuda").bfloat16() for _ in range(4))
    flash = torch.ops.aten._scaled_dot_product_flash_attention
    o, lse, *_ = flash(q, k, v, 0.0, causal, False)
    given = q, k, v, o, do, lse
    return {
        name: partial(module.backward, *given, causal=causal)
        for name, module in modules.items()
    }


if __name__ == "__main__":
    texts = {name: text(name) for name in ("base", *VARIANTS)}
    what = {name: said for name, (said, _) in VARIANTS.items()}
    rows = list(measure(texts, runs, products=5))
    write("backward-variants", METHOD, {"variants": what, "rows": rows})
