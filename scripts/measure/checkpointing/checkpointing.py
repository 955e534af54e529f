"""Measure what checkpointing saves and costs: peak memory and time of training steps.

    python scripts/measure/checkpointing/checkpointing.py --cpu
    python scripts/measure/checkpointing/checkpointing.py

The first measures on this CPU (Linux only), and writes
benchmarks/results/cpu-<date>-checkpointing.json; the second on a GPU. Both write
what was counted beside what was measured.
"""

import argparse
import ctypes
import json
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.checkpointing._models import counted, pairs, spread, stack
from measure.memory.memory import resident
from measure.shared.results import cpu, write

METHOD = """A stack of 6 blocks of training.transformer, embed_dim 256, 4 heads of 64,
fp32, batch 1, no dropout, weights and inputs drawn at random; no embedding, head or
loss. A step is forward and backward from a given gradient of the output. One thread,
one process; for each N three rounds, in each of which every attention has every policy
in turn, after one round at N = 64. Before a step the weights, their gradients, the
input and the output's gradient are there, and malloc_trim has given back what is free.
peak_bytes: the most resident memory during the step less that just before it, as the
kernel counts for a process (VmHWM, set back just before through clear_refs, and VmRSS).
seconds: CPU time of the step. Median, least and most of the three. kept_bytes: what the
blocks keep, and inside_bytes what one block keeps without a policy, both by
ledger.activations; flops likewise. attention: standard is the formula in PyTorch,
ours flash_attention's path for CPUs, pytorch scaled_dot_product_attention."""
MODEL = E, HEADS, LAYERS = 256, 4, 6
REPEATS = 3
SIZES = (1024, 2048)


def measured(model, n):
    """Peak bytes and CPU seconds of one step."""
    x, dy = torch.randn(2, 1, n, E)
    x.requires_grad_()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before, start = resident("VmRSS"), time.process_time()
    model(x).backward(dy)
    return resident("VmHWM") - before, time.process_time() - start


def rows_on_cpu():
    """Measure every attention and policy at every N."""
    torch.set_num_threads(1)
    for n in SIZES:
        found = {pair: [] for pair in pairs()}
        for turn in range(REPEATS + 1):  # the first to warm up
            for pair in pairs():
                value = measured(stack(*pair, MODEL), n if turn else 64)
                found[pair] += [value] if turn else []
        for pair, values in found.items():
            peaks, seconds = map(spread, zip(*values, strict=True))
            row = {"attention": pair[0], "policy": pair[1], "n": n}
            row |= {"peak_bytes": peaks, "seconds": seconds}
            print(json.dumps(row), flush=True)
            yield row | counted(n, *pair, MODEL, "fp32")


def on_cpu():
    """Measure and write."""
    model = {"embed_dim": E, "num_heads": HEADS, "layers": LAYERS}
    found = {"model": model, "rows": [*rows_on_cpu()]}
    write("checkpointing", METHOD, found, cpu(), "--cpu")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", action="store_true", help="on this CPU, not on a GPU")
    if parser.parse_args().cpu:
        on_cpu()
    else:
        from measure.checkpointing._checkpointing_gpu import on_gpu

        on_gpu()
