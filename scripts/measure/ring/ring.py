"""Measure ring attention on 1, 2 and 4 GPUs of one host, beside PyTorch's own.

    python scripts/measure/ring/ring.py

One process a GPU, started here for each number of GPUs and each shape in turn. Every
way is checked before anything is timed. Writes benchmarks/results/<gpu>-<date>-ring
.json, whole again after each of them: a run that breaks off keeps what it has. To try
the script without GPUs, where only the ring has a kernel and nothing is written:

    python scripts/measure/ring/ring.py --device cpu --worlds 1 2 --sizes 256 --check
    128
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # no NVLink multicast
os.environ.setdefault("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1")

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.ring._ring_rank import start
from measure.ring._ring_ways import SHAPES, WAYS
from measure.shared.results import write
from torch.multiprocessing import spawn

METHOD = """Causal attention, forward and backward by autograd, bf16, batch 1, standard
normal inputs; N is the whole sequence, in zig-zag order over the GPUs, one process
each. Checked first, in every world, way and shape: all shares put together at the N of
`checks`, the first and the last head of o, dq, dk, dv against float64, error at most
twice that of standard attention in bf16; `apart` is the distance of all heads from
flash_attention of one GPU. A way that is wrong is not timed. ms: between CUDA events on
every GPU after a barrier, the slowest GPU's; the median of `repeats` runs after two
more; forward and backward apart, total their sum run by run. The L2 is not emptied:
inputs are larger. The other ways stop at N = 262144. peak_bytes: the most that PyTorch
had allocated on a GPU in one forward and backward pass, the most of all GPUs, inputs
and gradients included; input_bytes: q, k, v and dO of it. ring:
tilewise.ring_attention, of one GPU flash_attention; at_once: how many heads of keys
take a turn round the ring, forward and backward. ring_first: the same, but each
message is waited for before the computation of its step starts, so that nothing
overlaps. ring_priority: NCCL's stream has high priority. torch_allgather,
torch_alltoall: F.scaled_dot_product_attention in
torch.distributed.tensor.experimental.context_parallel, with the two ways of
set_rotate_method; of one GPU F.scaled_dot_product_attention, backend FlashAttention.
ratio: total ms of the way `ring` on one GPU over that of the row, same N and shape.
tflops: 7/2 of 2 N (N + 1) heads d, over total ms, all GPUs together. NVLink multicast
(NCCL_NVLS_ENABLE=0) is off."""


def options():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--worlds", type=int, nargs="+", default=[1, 2, 4])
    sizes = [2**n for n in range(14, 20)]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--long", type=int, nargs="*", default=[2**20])
    parser.add_argument("--check", type=int, default=8192)
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=SHAPES)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row")
    return parser.parse_args()


def measured(world, shape, asked):
    """(checks, rows) of one number of GPUs and shape: what its rank 0 wrote down."""
    with tempfile.TemporaryDirectory() as folder:
        spawn(start, (world, folder, vars(asked) | {"shapes": [shape]}), nprocs=world)
        found = json.loads(Path(folder, "found.json").read_text("utf-8"))
    return found["checks"], found["rows"]


def compare(rows):
    """Add to every row its ratio to the ring's on one GPU, where that was timed."""
    one = {
        (r["shape"], r["n"]): r["ms"]
        for r in rows
        if r["world"] == 1 and r["way"] == "ring" and "ms" in r
    }
    for r in rows:
        if "ms" in r and (r["shape"], r["n"]) in one:
            r["ratio"] = one[r["shape"], r["n"]] / r["ms"]


def longest(rows, room):
    """The N that would fill a GPU, from the peaks of a way's two longest rows.

    A line through two points: extrapolated, and named so.
    """
    found, kinds = [], sorted({(r["world"], r["way"], r["shape"]) for r in rows})
    for world, way, shape in kinds:
        mine = [
            r
            for r in rows
            if (r["world"], r["way"], r["shape"]) == (world, way, shape)
            and "peak_bytes" in r
        ]
        if len(mine) < 2:
            continue
        a, b = sorted(mine, key=lambda r: r["n"])[-2:]
        each = (b["peak_bytes"] - a["peak_bytes"]) / (b["n"] - a["n"])
        n = b["n"] + (room - b["peak_bytes"]) / each
        kind = {"world": world, "way": way, "shape": shape}
        found.append(kind | {"bytes_per_position": each, "extrapolated_n": int(n)})
    return found


def keep(checks, rows):
    """Write what has been measured so far."""
    room = torch.cuda.get_device_properties(0).total_memory
    results = {
        "gpus": torch.cuda.device_count(),
        "nccl": ".".join(map(str, torch.cuda.nccl.version())),
        "shapes": SHAPES,
        "longest": longest(rows, room),
        "checks": checks,
        "rows": rows,
    }
    write("ring", METHOD, results)


def main():
    """Measure every world and shape, compare, write."""
    asked = options()
    checks, rows = [], []
    for world, shape in itertools.product(asked.worlds, asked.shapes):
        more = measured(world, shape, asked)
        checks += more[0]
        rows += more[1]
        compare(rows)
        if asked.device == "cuda":
            keep(checks, rows)
    if asked.device == "cpu":
        print("tried on the CPU: nothing is written")


if __name__ == "__main__":
    main()
