"""Compile the Gluon backward pass for Hopper, without one, and read the order in it.

A process of its own, without TRITON_INTERPRET: python _gluon_backward.py reads jobs as
JSON, {"d", "causal", "kv_heads", "parts"}, or {"d", "packed"} for that of packed
documents, and writes for each the counts of its kernels and, of main_kernel, the loops
over tiles: what matters of each, in the order of the SASS.
"""

import json
import re
import sys

import torch
import triton
from _compile import Card, each
from _sass import count_all, disassembled, taken
from triton.runtime.driver import driver

EVENTS = {  # what to look for → its name in a loop
    r"WARPGROUP\.DEPBAR\.LE gsb0, 0x(\d)": "wait ≤ {}",  # products in flight
    r"HGMMA": "product",
    r"MUFU\.EX2": "exp",
    r"STSM?\b": "store",
    r"SYNCS\.ARRIVE": "arrive",
}


def loops(sass):
    """The innermost loops with products in a kernel's SASS, as lists of events."""
    code, labels, found = [], {}, {}
    for line in sass.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line.strip()):
            labels[label[1]] = len(code)
        elif instruction := re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?);", line):
            code.append(instruction[1])
    for end, instruction in enumerate(code):
        target = re.search(r"BRA `\((\.L_x_\d+)\)", instruction)
        start = labels.get(target[1], end) if target else end
        body = code[start:end]
        whole = not any("UTMASTG" in x or "USETMAXREG" in x for x in body)
        if whole and any("HGMMA" in x for x in body):
            found[start, end] = [name for x in body if (name := event(x))]
    inner = (
        at
        for at in found
        if not any(at[0] <= x[0] and x[1] <= at[1] and x != at for x in found)
    )
    return [found[at] for at in inner]


def event(instruction):
    for pattern, name in EVENTS.items():
        if match := re.search(pattern, instruction):
            return name.format(*match.groups())


def compiled(job):
    """Run the host code; its kernels are compiled, none is launched."""
    from tilewise.kernels import gluon_backward

    made = {}

    def compile_only(kernel, _):
        def launch(*args, **options):
            done = kernel.run(*args, grid=None, warmup=True, **options)
            made[kernel.fn.__name__] = done

        return launch

    triton.JITFunction.__getitem__ = compile_only
    driver.set_active(Card(90))
    if "packed" in job:
        packed(job["d"])
    else:
        gluon_backward.share_out = lambda total, *_: (total, job["parts"])
        q = torch.empty(2, 4, 1024, job["d"], dtype=torch.bfloat16)
        k, lse = q[:, : job["kv_heads"]], torch.empty(q.shape[:-1])
        gluon_backward.backward(q, k, k, q, q, lse, causal=job["causal"])
    found = {name: taken(kernel) for name, kernel in made.items()}
    sass = disassembled(made["main_kernel"])
    found["main_kernel"]["reductions"] = len(re.findall("UTMAREDG", sass))
    return found | {"loops": loops(sass)}


def packed(d):
    """The host code for two documents."""
    from tilewise.kernels import gluon_varlen_backward
    from tilewise.kernels.shared import gluon as _gluon

    _gluon.available = lambda device: True
    q, cu = torch.empty(2048, 4, d, dtype=torch.bfloat16), torch.tensor([0, 1000, 2048])
    gluon_varlen_backward.backward(q, q, q, q, q, torch.empty(2048, 4), cu, cu)


if __name__ == "__main__":
    found = each(compiled, json.load(sys.stdin))
    count_all([(90, made) for made in found])
    json.dump(found, sys.stdout)
