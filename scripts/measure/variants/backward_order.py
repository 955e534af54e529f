"""Measure what an order of dQ's sums costs in one walk, and a poll, on Hopper.

    python scripts/measure/variants/backward_order.py

First each variant is checked in a process of its own; one that fails or hangs is not
timed. Writes benchmarks/results/<gpu>-<date>-backward-order.json.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants import _order_check
from measure.variants._order_model import predicted
from measure.variants._order_variants import VARIANTS, ordered, text, with_order
from measure.variants._variants import LENGTHS, METHOD, measure, saved

from tilewise.kernels import backward_descriptors

SECONDS = 270  # for the check of a variant; all are checked at once
ONLY = {"poll": 64}  # elsewhere the kernel has it
CHECK = """Checks: N = 1000 to 4096, full and causal, with heads of K shared; errors of
dQ, dK, dV in the Euclidean norm against float64, over those of PyTorch's flash backend;
of 50 runs (3 where the order is free, without dQ, and on the sizes that are timed), how
many had other bits than one more."""


def checked(name):
    """(name, what the check of a variant printed, or why there is nothing)."""
    command = [sys.executable, _order_check.__file__, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return name, f"not done after {SECONDS} s"
    if done.returncode:
        return name, done.stderr[-1500:]
    return name, json.loads(done.stdout.splitlines()[-1])


def worst(rows):
    """(largest error over flash's, runs with other bits); (∞, ∞) without a check."""
    if isinstance(rows, str):
        return torch.inf, torch.inf
    errors = [x["error_over_flash"] for x in rows if "error_over_flash" in x]
    return max(errors), sum(x["other_bits"] for x in rows)


def right(rows):
    """Whether a variant is worth timing; the errors themselves are in the file."""
    error, other = worst(rows)
    return error < 1.5 and not other


def runs(modules, n, d, causal):
    """{variant: its backward pass on the input of a cell}."""
    given = saved(n, d, causal)
    found = {"two_walks": partial(backward_descriptors.backward, *given, causal=causal)}
    for name in modules:
        if ONLY.get(name, d) == d:
            run = partial(modules[name].backward, *given, causal=causal)
            found[name] = with_order(run) if ordered(name) else run
    return found


def main():
    with ThreadPoolExecutor(8) as pool:
        checks = dict(pool.map(checked, ("base", *VARIANTS)))
    for name, rows in checks.items():
        print(name, rows if isinstance(rows, str) else worst(rows), flush=True)
    works = [x for x, rows in checks.items() if right(rows) or x == "base"]
    texts = {name: text(name) for name in works}
    rows = list(measure(texts, runs, products=5))
    cells = [
        {"n": n, "d": d, "causal": causal} | predicted(n, d, causal)
        for d, causal, n in product((64, 128), (False, True), LENGTHS)
    ]
    what = {name: said for name, (said, *_) in VARIANTS.items()}
    what["two_walks"] = "the rung backward_descriptors"
    results = {"variants": what, "checks": checks, "predicted": cells, "rows": rows}
    write("backward-order", f"{METHOD} {CHECK}", results)
    for name in what:
        speeds = [x["base_ms"] / x["ms"] for x in rows if x["variant"] == name]
        if speeds:
            mean = torch.tensor(speeds).log().mean().exp().item()
            print(f"{name:14}{mean:.3f}  {' '.join(f'{x:.3f}' for x in speeds)}")


if __name__ == "__main__":
    main()
