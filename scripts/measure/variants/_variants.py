"""Times variants of a kernel beside it: CUDA graphs, all in turn, in changing order."""

import importlib.util
import itertools
import random
import re
import statistics
import tempfile
from pathlib import Path

import torch

METHOD = """bf16, batch × N = 16384, heads × d = 2048. Each variant changes one thing of
the kernel; its results are compared with the kernel's first. CUDA graphs of whole
calls; medians of 9 rounds, in which all take their turn in an order drawn anew."""
KERNELS = Path(__file__).resolve().parents[3] / "src/tilewise/kernels"
CLASH = {"shared/gluon_backward": ("SIZES", "FEW")}  # a name of another file too
BACKWARD = (
    "shared/work_backward",
    "shared/gluon_backward",
    "shared/roles_backward",
    "gluon_backward",
)
LENGTHS = 1024, 2048, 4096, 8192, 16384


def changed(name, files, changes):
    """The files in one, without imports from each other, with the changes of a variant.

    Stops where the kernel no longer has what is to be changed.
    """
    whole = ""
    for file in files:
        text = (KERNELS / f"{file}.py").read_text("utf-8").split('"""\n', 1)[1]
        whole += text.replace(*CLASH.get(file, ("", ""))) + "\n"
    for file in files[:-1]:
        module = file.replace("/", r"\.")
        names = rf"from tilewise\.kernels\.{module} import (?:\([^)]*\)|[^\n]*)\n"
        whole = re.sub(names, "", whole)
    for old, new in changes:
        if old not in whole:
            raise SystemExit(f"{name}: the kernel no longer has {old!r}")
        whole = whole.replace(old, new)
    return whole


def load(name, text, folder):
    """A module of the text."""
    path = Path(folder) / f"{name}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def saved(n, d, causal):
    """(q, k, v, o, do, lse) of a cell, as a backward pass takes them."""
    shape = 16384 // n, 2048 // d, n, d
    q, k, v, do = (torch.randn(shape, device="cuda").bfloat16() for _ in range(4))
    flash = torch.ops.aten._scaled_dot_product_flash_attention
    o, lse, *_ = flash(q, k, v, 0.0, causal, False)
    return q, k, v, o, do, lse


def check(name, found, right):
    """Stop where a variant's results are others than the kernel's."""
    for x, y in zip(found, right, strict=True):
        error = (x.double() - y.double()).norm() / y.double().norm()
        assert error < 1e-2, (name, error.item())


def cell(runs, flops):
    """{variant: ms} of runs {variant: a function of nothing}, "base" among them."""
    calls = max(2, int(1e-2 / (flops / 5e14)))  # 10 ms a graph
    right = runs["base"]()
    for name, run in runs.items():
        check(name, run(), right)
    graphs = {name: graph(run, calls) for name, run in runs.items()}
    times = {name: [] for name in graphs}
    for _ in range(9):
        for name in random.sample(list(graphs), len(graphs)):
            times[name].append(milliseconds(graphs[name], calls))
    return {name: statistics.median(x) for name, x in times.items()}


def measure(texts, runs, products):
    """Rows of {variant, n, d, causal, ms, base_ms} over the twenty cells.

    texts: {variant: source}; runs(modules, n, d, causal) → {variant: function of
    nothing}; products: matrix products of a tile, for a graph's length.
    """
    with tempfile.TemporaryDirectory() as folder:
        modules = {name: load(name, text, folder) for name, text in texts.items()}
        for d, causal, n in itertools.product((64, 128), (False, True), LENGTHS):
            flops = 2 * products * 16384 * 2048 * n * (0.5 if causal else 1)
            found = cell(runs(modules, n, d, causal), flops)
            base = found.pop("base")
            for name, ms in found.items():
                at = {"variant": name, "n": n, "d": d, "causal": causal}
                yield at | {"ms": ms, "base_ms": base}
