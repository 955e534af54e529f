"""Compile the Gluon backward pass for Hopper, without one, and read the order in it.

A process of its own, without TRITON_INTERPRET: python _gluon_backward.py reads jobs as
JSON, {"d", "causal", "kv_heads", "parts"} and "order" and "draws" unless they are 0,
{"d", "packed"} for that of packed documents, or {"d", "window"}, and writes for each
the counts of its kernels and, of main_kernel, the loops over tiles: what matters of
each, in the order of the SASS.
"""

import json
import re
import sys

import torch
from _compile import each, launched
from _sass import count_all, disassembled, loops, taken

from tilewise.kernels import (
    gluon_backward,
    gluon_varlen_backward,
    gluon_windows_backward,
)

EVENTS = {  # what to look for → its name in a loop
    r"WARPGROUP\.DEPBAR\.LE gsb0, 0x(\d)": "wait ≤ {}",  # products in flight
    r"HGMMA": "product",
    r"MUFU\.EX2": "exp",
    r"STSM?\b": "store",
    r"\b(?:LDL|STL)\b": "spill",
    r"SYNCS\.ARRIVE": "arrive",
}


def events(body):
    """The names of what matters in a loop."""
    return [name for line in body.splitlines() if (name := event(line))]


def event(instruction):
    for pattern, name in EVENTS.items():
        if match := re.search(pattern, instruction):
            return name.format(*match.groups())


def over_tiles(body):
    """Whether a loop has products, and is not the one around it over units of work."""
    return "HGMMA" in body and not re.search("UTMASTG|USETMAXREG", body)


def compiled(job):
    """The counts of a job's kernels, and the loops of the main one."""
    call = packed if "packed" in job else whole
    if "window" in job:
        call = windowed
    made = launched(90, lambda: call(job))
    found = {name: taken(kernel) for name, kernel in made.items()}
    main = made["main_kernel"]
    found["main_kernel"]["reductions"] = disassembled(main).count("UTMAREDG")
    return found | {"loops": [*map(events, loops(main, over_tiles))]}


def whole(job):
    """The host code for a batch."""
    gluon_backward.share_out = lambda total, *_: (total, job["parts"])
    gluon_backward.order = lambda *_: job.get("order", 0)
    gluon_backward.draws = lambda *_: job.get("draws", False)
    q = torch.empty(2, 4, 1024, job["d"], dtype=torch.bfloat16)
    k, lse = q[:, : job["kv_heads"]], torch.empty(q.shape[:-1])
    gluon_backward.backward(q, k, k, q, q, lse, causal=job["causal"])


def packed(job):
    """The host code for two documents."""
    cu, shape = torch.tensor([0, 1000, 2048]), (2048, 4, job["d"])
    q = torch.empty(shape, dtype=torch.bfloat16)
    gluon_varlen_backward.backward(q, q, q, q, q, torch.empty(2048, 4), cu, cu)


def windowed(job):
    """The host code for a window, with sinks."""
    q = torch.empty(2, 4, 1024, job["d"], dtype=torch.bfloat16)
    how = {"causal": True, "window": job["window"], "sinks": torch.empty(4)}
    gluon_windows_backward.backward(q, q, q, q, q, torch.empty(q.shape[:-1]), **how)


if __name__ == "__main__":
    found = each(compiled, json.load(sys.stdin))
    count_all([(90, made) for made in found])
    json.dump(found, sys.stdout)
