"""Compile rungs for a GPU that is not there, and count what ptxas made of them.

A process of its own, without TRITON_INTERPRET: python _compile.py reads jobs as JSON,
{"rung", "arch", "d", "causal"} and, if not the usual, "pass", "dtype", "options", and
writes for each the kernels that the rung would launch, as it would launch them:
tensors on the CPU stand in for the card's. "n" is N; "overlap" asks for the main loops.
"""

import importlib
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver

TOOLS = Path(triton.__file__).parent / "backends/nvidia/bin"
LABEL, BRANCH = re.compile(r"(\.L_x_\d+):"), re.compile(r"\bBRA\b.*?(\.L_x_\d+)")


class Card:
    """A driver that knows what card it has and nothing else."""

    def __init__(self, arch):
        self.target = GPUTarget("cuda", arch, 32)

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return self.target.arch

    def get_current_stream(self, device):
        return 0


@lru_cache(8)  # a kernel's SASS is read more than once
def tool(name, *options, cubin):
    """What a tool says of a cubin."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [TOOLS / name, *options, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


def disassembled(kernel):
    """Its SASS, without an analysis of data flow: it would name the targets of BRX."""
    return tool("nvdisasm", "-c", "-ndf", cubin=kernel.asm["cubin"])


def counts(kernel):
    """Registers a thread, bytes of shared memory, and instructions of the SASS."""
    cubin = kernel.asm["cubin"]
    usage = tool("cuobjdump", "-res-usage", cubin=cubin)
    sass = disassembled(kernel)
    found = {"registers": int(re.search(r"REG:(\d+)", usage)[1])}
    found["shared"] = kernel.metadata.shared
    for name, pattern in {
        "spills": r"\bSTL", "wgmma": r"\bHGMMA", "mma": r"\bHMMA",
        "tma": r"\bUTMALDG", "tcgen05": r"\bUTC\w*MMA", "ex2": r"\bMUFU\.EX2",
    }.items():  # fmt: skip
        found[name] = len(re.findall(pattern, sass))
    return found


def overlap(kernel):
    """What the loops with two products in flight do, in the order of the SASS.

    Of each innermost loop that waits for one of them alone: the products started before
    that wait, how many may go on past it, the row maxima and exponentials between it
    and the wait for all, the exponentials after that, and what is spilled.
    """
    lines = disassembled(kernel).splitlines()
    begins = {x[1]: i for i, x in enumerate(map(LABEL.match, lines)) if x}
    loops = []
    for end, line in enumerate(lines):
        target = BRANCH.search(line)
        begin = begins.get(target[1], end) if target else end
        body = "\n".join(lines[begin:end])
        waits = [*re.finditer(r"WARPGROUP\.DEPBAR\.LE gsb0, 0x(\d)", body)]
        if [int(wait[1]) for wait in waits] == [1, 0]:
            before, between, after = (
                body[: waits[0].start()],
                *(body[i.end() : j] for i, j in zip(waits, (waits[1].start(), None))),
            )
            loops.append({
                "started": len(re.findall(r"\bHGMMA", before)), "in flight": 1,
                "maxima between": len(re.findall(r"\bFMNMX", between)),
                "ex2 between": len(re.findall(r"\bMUFU\.EX2", between)),
                "ex2 after": len(re.findall(r"\bMUFU\.EX2", after)),
                "spills": len(re.findall(r"\b(STL|LDL)", body)),
            })  # fmt: skip
    return loops


def launches(job):
    """Run the rung's host code; its kernels are compiled, none is launched."""
    kernels = {}

    def compile_only(kernel, _):
        def launch(*args, **options):
            made = kernel.run(*args, grid=None, warmup=True, **options)
            kernels[kernel.fn.__name__] = made

        return launch

    triton.JITFunction.__getitem__ = compile_only
    driver.set_active(Card(job["arch"]))
    rung = importlib.import_module(f"tilewise.kernels.{job['rung']}")
    if job["rung"].startswith("gluon"):
        from tilewise.kernels import _gluon

        _gluon.available = lambda device: device.type == "cpu"
    call(rung, job)
    found = {name: counts(kernel) for name, kernel in kernels.items()}
    if job.get("overlap"):
        for name, kernel in kernels.items():
            found[name]["overlap"] = overlap(kernel)
    return found


def call(rung, job):
    """The rung's host code on empty tensors; packed documents for a varlen rung."""
    shape, lead = (2, 4, job.get("n", 1024), job["d"]), ()
    if "varlen" in job["rung"]:
        shape, lead = (2048, 4, job["d"]), (torch.tensor([0, 1000, 2048]),) * 2
    dtype = getattr(torch, job.get("dtype", "bfloat16"))
    q, k, v, do = (torch.empty(shape, dtype=dtype) for _ in range(4))
    options = {"causal": job["causal"]} | job.get("options", {})
    if job.get("pass", "forward") == "forward":
        rung.forward(q, k, v, *lead, **options)
    else:
        lse = torch.empty(q.shape[:-1])
        rung.backward(q, k, v, q, do, lse, *lead, **options)


def safely(job):
    try:
        return launches(job)
    except Exception as error:
        while error.__cause__:  # Triton names the outermost line first
            error = error.__cause__
        return {"error": f"{type(error).__name__}: {error}"[-2000:]}


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        json.dump(list(pool.map(safely, json.load(sys.stdin))), sys.stdout)
