"""Measure the Gluon backward pass beside itself with one thing changed, on Hopper.

    python scripts/measure/backward_variants.py

Writes benchmarks/results/<gpu>-<date>-backward-variants.json.
"""

import importlib.util
import itertools
import random
import statistics
import tempfile
from pathlib import Path

import torch
from _backward_variants import VARIANTS, text
from _machine import write

METHOD = """bf16, batch × N = 16384, heads × d = 2048. Each variant changes one thing of
the kernel; its dQ, dK, dV are compared with the kernel's first. CUDA graphs of whole
calls, preparation of delta and rounding of dQ included; medians of 9 rounds, in which
all take their turn in an order that is drawn anew."""


def load(name, folder):
    """The backward pass of a variant."""
    path = Path(folder) / f"{name}.py"
    path.write_text(text(name), "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.backward


def graph(f, calls):
    """A CUDA graph of so many calls of f."""
    f()  # compiles
    torch.cuda.synchronize()
    made = torch.cuda.CUDAGraph()
    with torch.cuda.graph(made):
        for _ in range(calls):
            f()
    return made


def milliseconds(made, calls):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    made.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / calls


def inputs(n, d, causal):
    """(q, k, v, o, do, lse) of a cell, by SDPA's flash backend."""
    shape = 16384 // n, 2048 // d, n, d
    q, k, v, do = (torch.randn(shape, device="cuda").bfloat16() for _ in range(4))
    flash = torch.ops.aten._scaled_dot_product_flash_attention
    o, lse, *_ = flash(q, k, v, 0.0, causal, False)
    return q, k, v, o, do, lse


def cell(kernels, n, d, causal):
    """{variant: ms} of one cell, "base" among them."""
    given = inputs(n, d, causal)
    calls = max(
        2, int(1e-2 / (5e-11 * 16384 * 2048 * n * (0.5 if causal else 1) / 4e3))
    )
    right = kernels["base"](*given, causal=causal)
    for name, backward in kernels.items():
        for x, y in zip(backward(*given, causal=causal), right):
            error = (x.double() - y.double()).norm() / y.double().norm()
            assert error < 1e-2, (name, n, d, causal, error.item())
    graphs = {
        name: graph(lambda f=f: f(*given, causal=causal), calls)
        for name, f in kernels.items()
    }
    times = {name: [] for name in graphs}
    for _ in range(9):
        for name in random.sample(list(graphs), len(graphs)):
            times[name].append(milliseconds(graphs[name], calls))
    return {name: statistics.median(x) for name, x in times.items()}


def rows():
    with tempfile.TemporaryDirectory() as folder:
        kernels = {name: load(name, folder) for name in ("base", *VARIANTS)}
        sizes = 1024, 2048, 4096, 8192, 16384
        for d, causal, n in itertools.product((64, 128), (False, True), sizes):
            found = cell(kernels, n, d, causal)
            base = found.pop("base")
            for name, ms in found.items():
                at = {"variant": name, "n": n, "d": d, "causal": causal}
                yield at | {"ms": ms, "base_ms": base}


if __name__ == "__main__":
    what = {name: said for name, (said, _) in VARIANTS.items()}
    sources = ["backward_variants.py", "_backward_variants.py"]
    results = {"variants": what, "rows": list(rows())}
    write("backward-variants", METHOD, sources, results)
