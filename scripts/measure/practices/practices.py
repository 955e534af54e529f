"""Measure what rules of thumb about attention say, on the GPU at hand.

    python scripts/measure/practices/practices.py [part …]

All parts, or those named, about ten minutes in all; what is done is written after every
part to benchmarks/results/<gpu>-<date>-practices.json. --cpu tries every part on toy
sizes without a GPU, and writes nothing.
"""

import contextlib
import datetime
import json
import subprocess
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.practices import _practices_kernels as kernels
from measure.practices import _practices_options as options
from measure.practices import _practices_program as program
from measure.practices._practices import CUDA
from measure.shared.results import FOLDER, write

METHOD = """bf16 where nothing else is said, random normal inputs, drawn afresh for
every case; B N = 16384 and H d = 2048 where batch and heads are not the question.
Checked first as in python -m tilewise bench: the first and the last head against
float64, error at most twice that of plain PyTorch in the same dtype (fp32 inputs that
may use TF32: 2^14 times), freed memory holds NaN; what fails is not timed (refused,
missing, failed say why). Times: a CUDA graph of as many calls as take 10 ms is replayed
twice and the second time taken between two CUDA events (graph false: plain calls, where
the host's cost counts, and calls of 25 ms and more); what is compared takes turns in
changing order, ms is the median. L2 is not emptied. flash, cudnn, efficient, math:
scaled_dot_product_attention's backends; sdpa, bools and numbers: the one it picks, the
causal mask given as a tensor in the last two; standard: three lines of PyTorch; ours:
tilewise.flash_attention. views: (batch, N, heads, d) in memory. filled up: q, k, v
padded with zeros to 1,024 within the call, a mask where not causal. tiles: the rung
causal, block_rows x block_cols. fixed order: torch.use_deterministic_algorithms(True)
during the call. first_calls: seconds of the first six forward and backward calls in a
new process, Triton's and Inductor's folders new, then the same again. clocks: one call
on the host's clock, until it returned and until the GPU was done, the fastest of six
after six. empty_cache: eight blocks of width 2048 with FlashAttention, forward and
backward, ms a step by the host's clock with the GPU waited for, median of the later
half of 40 steps; sizes take turns. Clocks and power limit as found."""
PARTS = {part.__name__: part for x in (kernels, options, program) for part in x.PARTS}


def stream():
    """The default stream makes no graphs."""
    return torch.cuda.stream(torch.cuda.Stream()) if CUDA else contextlib.nullcontext()


def earlier():
    """{part: rows} that today's file has already."""
    files = FOLDER.glob(f"*-{datetime.date.today().isoformat()}-practices.json")
    return next((json.loads(f.read_text("utf-8"))["parts"] for f in files), {})


def main(asked):
    """Measure the parts asked for, all if none, and write the results after each."""
    trying = ["--cpu"] if "--cpu" in asked else []
    names = [x for x in asked if x != "--cpu"] or [*PARTS]
    if unknown := [x for x in names if x not in PARTS]:
        sys.exit(f"a part is one of {', '.join(PARTS)}, not {unknown[0]}")
    if CUDA == bool(trying):
        sys.exit(
            "--cpu is for a machine without a GPU" if CUDA else "no GPU: see --cpu"
        )
    if len(names) > 1:  # a part may fill a card: each begins with an empty one
        for name in names:
            subprocess.run([sys.executable, __file__, name, *trying], check=True)
        return
    with stream():
        rows = [*PARTS[names[0]]()]
    if CUDA:
        write("practices", METHOD, {"parts": earlier() | {names[0]: rows}})
    print(len(rows), "rows")


if __name__ == "__main__":
    main(sys.argv[1:])
