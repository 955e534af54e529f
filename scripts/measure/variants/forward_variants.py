"""Measure the Gluon forward pass beside itself with one thing changed, on Hopper.

    python scripts/measure/variants/forward_variants.py

Writes benchmarks/results/<gpu>-<date>-forward-variants.json.
"""

import itertools
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.attention import error
from measure.shared.results import write
from measure.variants._forward_variants import VARIANTS, text
from measure.variants._variants import METHOD, load, measure


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


def errors(modules, d, times):
    """{variant: its error}, N = 4096, q and k normal numbers times so many.

    PyTorch's function runs FlashAttention-2.
    """
    q, k, v = (torch.randn(1, 4, 4096, d, device="cuda") for _ in range(3))
    q, k, v = (x.bfloat16() for x in (times * q, times * k, v))
    made = {name: partial(m.forward, q, k, v) for name, m in modules.items()}
    found = {name: error(lambda f=f: f()[0], q, k, v) for name, f in made.items()}
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        flash = partial(scaled_dot_product_attention, q, k, v)
        return found | {"flash_attention_2": error(flash, q, k, v)}


def error_rows():
    """Rows of {d, times, errors} of the kernel and of those with a threshold."""
    names = "base", "threshold_2", "threshold_8"
    with tempfile.TemporaryDirectory() as folder:
        modules = {name: load(name, text(name), folder) for name in names}
        for d, times in itertools.product((64, 128), (1, 2, 3)):
            yield {"d": d, "times": times, "errors": errors(modules, d, times)}


if __name__ == "__main__":
    texts = {name: text(name) for name in ("base", *VARIANTS)}
    what = {name: variant["what"] for name, variant in VARIANTS.items()}
    rows = list(measure(texts, runs, products=2))
    results = {"variants": what, "rows": rows, "errors": list(error_rows())}
    write("forward-variants", METHOD, results)
