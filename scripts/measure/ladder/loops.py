"""Count the instructions of the forward rungs' inner loops; no GPU is needed.

    python scripts/measure/ladder/loops.py

Compiles each rung for an H100 or H200 (sm_90a) as tests/kernels/_compile.py does, and
reads the SASS; writes benchmarks/results/cpu-<date>-loops.json. Linux only.
"""

import importlib
import re
import sys
from collections import Counter
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/kernels"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from _compile import launched
from _sass import counts, loops
from draw.tables._rungs import tile
from measure.shared.results import cpu, write

from tilewise.kernels import FORWARD, gluon_forward

METHOD = """Each forward rung compiled by Triton and ptxas for sm_90a, bf16, d 64 and
128, batch 2, heads 4, N 2048, causal, with the tile of its table; the rungs causal and
descriptors with each other's tile as well. Causal or not is no other kernel in the
rungs in Triton. A loop is what lies between a label and the branch back to it, none
within it, if it holds both products (HGMMA) and exponentials (MUFU.EX2). scores: how
many scores of a tile a thread holds. instructions: how often each opcode stands in the
loop, without its suffixes, and MUFU.EX2 beside; the order of loops is that of the code,
so for rungs that have two the first is the one without a mask. gluon_forward has a loop
for each consumer, all without a mask; the first is counted. registers, spills (STL) and
shared are those of the whole kernel."""
RUNGS = FORWARD[FORWARD.index("fa2_order") :]
OTHER = {"causal": "descriptors", "descriptors": "causal"}  # whose tile is tried too
NAMES = ("block_rows", "block_cols", "num_warps", "num_stages")


def compiled(rung, d, given):
    """The one kernel that a rung would launch, with the tile given or its own."""
    q, k, v = (torch.empty(2, 4, 2048, d, dtype=torch.bfloat16) for _ in range(3))
    forward = importlib.import_module(f"tilewise.kernels.{rung}").forward
    tile = dict(zip(NAMES, given))
    (kernel,) = launched(90, lambda: forward(q, k, v, causal=True, **tile)).values()
    return kernel


def inner(body):
    """Whether a loop holds both products and exponentials."""
    return "HGMMA" in body and "MUFU.EX2" in body


def opcodes(body):
    """{opcode: how often}; @P0 before an instruction is not part of it."""
    names = [re.sub(r"^@!?U?P\w+\s+", "", x).split()[0] for x in body.splitlines()]
    found = Counter(name.split(".")[0] for name in names)
    found["MUFU.EX2"] = sum(name.startswith("MUFU.EX2") for name in names)
    return dict(sorted(found.items()))


def cases():
    """(rung, d, tile or () for the rung's own)."""
    for d in (64, 128):
        yield from ((rung, d, ()) for rung in RUNGS)
        yield from ((rung, d, tile(other, d)) for rung, other in OTHER.items())


def shape(rung, d, kernel):
    """(B_r, B_c) that a rung takes by itself, and the threads that share a tile."""
    if rung == "gluon_forward":  # all but the producer, which Triton makes four warps
        q = torch.empty(2, 4, 2048, d, device="meta")
        rows, cols, _ = gluon_forward.choose(q, True, {})
        return rows, cols, 2 * rows
    return *tile(rung, d)[:2], 32 * kernel.metadata.num_warps


def rows():
    """One row a loop."""
    for rung, d, given in cases():
        kernel = compiled(rung, d, given)
        block_rows, block_cols, threads = shape(rung, d, kernel)
        block_rows, block_cols = given[:2] or (block_rows, block_cols)
        whole = counts(kernel)
        found = loops(kernel, inner)
        for n, body in enumerate(found[:1] if "gluon" in rung else found):
            yield {
                "rung": rung,
                "d": d,
                "loop": n,
                "tile": [block_rows, block_cols],
                "registers": whole["registers"],
                "spills": whole["spills"],
                "shared": whole["shared"],
                "scores": block_rows * block_cols // threads,
                "instructions": opcodes(body),
            }


def main():
    """Compile, count, write."""
    about = cpu() | {"triton": triton.__version__, "target": "sm_90a"}
    write("loops", METHOD, {"rows": list(rows())}, about)


if __name__ == "__main__":
    main()
