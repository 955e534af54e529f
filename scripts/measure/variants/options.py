"""Measure attention with options beside the same kernel without them, on a GPU.

    python scripts/measure/variants/options.py

Writes benchmarks/results/<gpu>-<date>-options.json.
"""

import itertools
import random
import statistics
import sys
from functools import partial
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._variants import graph, milliseconds

from tilewise import kernels
from tilewise.ledger.tiles import visits

METHOD = """bf16, batch × N = 16384, heads × d = 2048, causal. "plain" is the kernel of
rung 5, "none" the kernel with options and none of them. tiles are those that the
forward pass of a head visits, in the size that the kernel with options has. CUDA graphs
of whole calls; medians of 9 rounds, in which all take their turn in an order drawn
anew."""
WINDOWS = 256, 512, 1024, 2048, 4096, 8192
LENGTHS = 4096, 16384
ROWS, COLS = kernels.scores.TILES[64][:2]  # of a tile, forward, at both d


def options(heads):
    """{name: what the kernels take}."""
    made = {"none": {}} | {f"window {w}": {"window": (w - 1, 0)} for w in WINDOWS}
    made["softcap"] = {"softcap": 30.0}
    made["alibi"] = {"alibi_slopes": torch.rand(heads, device="cuda")}
    made["sinks"] = {"sinks": torch.randn(heads, device="cuda")}
    made["dropout"] = {"dropout_p": 0.1, "seed": 7}
    return made


def visited(n, window):
    """Tiles of a head that the forward pass visits."""
    return visits(n, n, ROWS, COLS, True, window=window)[2] // (ROWS * COLS)


def runs(n, d):
    """{(pass, name): (a function of nothing, tiles)}."""
    shape = 16384 // n, 2048 // d, n, d
    q, k, v, do = (torch.randn(shape, device="cuda").bfloat16() for _ in range(4))
    o, lse = kernels.causal.forward(q, k, v, causal=True)
    saved, made = (q, k, v, o, do, lse), {}
    plain = partial(kernels.causal.forward, q, k, v, causal=True)
    made["forward", "plain"] = plain, visited(n, None)
    plain = partial(kernels.backward_split.backward, *saved, causal=True)
    made["backward", "plain"] = plain, visited(n, None)
    for name, how in options(shape[1]).items():
        tiles = visited(n, how.get("window"))
        o, lse = kernels.scores.forward(q, k, v, causal=True, **how)
        saved = q, k, v, o, do, lse
        for way, f, x in (
            ("forward", kernels.scores.forward, (q, k, v)),
            ("backward", kernels.scores_backward.backward, saved),
        ):
            made[way, name] = partial(f, *x, causal=True, **how), tiles
        if name.startswith("window"):
            f = partial(kernels.windows.forward, q, k, v, causal=True, **how)
            made["forward", f"{name}, its own rung"] = f, tiles
    return made


def rows():
    """A row {pass, option, n, d, tiles, ms} for each."""
    for n, d in itertools.product(LENGTHS, (64, 128)):
        made = runs(n, d)
        graphs = {x: graph(f, 4) for x, (f, _) in made.items()}
        times = {x: [] for x in graphs}
        for _ in range(9):
            for x in random.sample(list(graphs), len(graphs)):
                times[x].append(milliseconds(graphs[x], 4))
        for (way, name), (_, tiles) in made.items():
            row = {"pass": way, "option": name, "n": n, "d": d, "tiles": tiles}
            yield row | {"ms": statistics.median(times[way, name])}
            print(row, round(statistics.median(times[way, name]), 4), flush=True)


if __name__ == "__main__":
    write("options", METHOD, {"rows": list(rows())})
