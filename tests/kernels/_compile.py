"""Compile rungs for a GPU that is not there, and count what ptxas made of them.

A process of its own, without TRITON_INTERPRET: python _compile.py reads jobs as JSON,
{"rung", "arch", "d", "causal"} and, if not the usual, "pass", "dtype", "options", and
writes for each the kernels that the rung would launch, as it would launch them:
tensors on the CPU stand in for the card's. "n" is N; "overlap" asks for the main loops.
"""

import gc
import importlib
import json
import sys
from concurrent.futures import ProcessPoolExecutor

import torch
import triton
from _sass import count_all, overlap, taken, votes
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime.cache import triton_key
from triton.runtime.driver import driver

from tilewise.block_sparse import tiles_mask
from tilewise.kernels.shared import gluon as _gluon


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


def launched(arch, call):
    """{name: kernel} of what call() would launch on a card: compiled, none launched.

    Without the numbers of lines, with which ptxas may place registers otherwise.
    """
    kernels = {}
    knobs.compilation.disable_line_info = True

    def compile_only(kernel, _):
        def launch(*args, **options):
            made = kernel.run(*args, grid=None, warmup=True, **options)
            kernels[kernel.fn.__name__] = made

        return launch

    triton.JITFunction.__getitem__ = compile_only
    driver.set_active(Card(arch))
    _gluon.available = lambda device: device.type == "cpu"
    call()
    return kernels


def launches(job):
    """{name: counts} of the kernels of a job."""
    rung = importlib.import_module(f"tilewise.kernels.{job['rung']}")
    kernels = launched(job["arch"], lambda: call(rung, job))
    found = {name: taken(kernel) for name, kernel in kernels.items()}
    if job.get("overlap"):
        for name, kernel in kernels.items():
            found[name] |= {"overlap": overlap(kernel)} | votes(kernel, job["d"])
    return found


def call(rung, job):
    """The rung's host code on empty tensors; packed documents for a varlen rung."""
    if job.get("pass") == "decode":
        return decode(rung, job)
    shape, lead = (2, 4, job.get("n", 1024), job["d"]), ()
    if "varlen" in job["rung"]:
        shape, lead = (2048, 4, job["d"]), (torch.tensor([0, 1000, 2048]),) * 2
    dtype = getattr(torch, job.get("dtype", "bfloat16"))
    wide = (*shape[:-1], job.get("d_v", job["d"]))
    q, k, v, o = (torch.empty(x, dtype=dtype) for x in (shape, shape, wide, wide))
    options = {"causal": job["causal"]} | job.get("options", {})
    for name in {"alibi_slopes", "sinks"} & options.keys():
        options[name] = torch.empty(options[name])
    if "block_mask" in options:
        n = shape[2]
        options["block_mask"] = tiles_mask(torch.eye(2).bool(), n // 2, n // 2, n, n)
    if job.get("pass", "forward") == "forward":
        rung.forward(q, k, v, *lead, **options)
    else:
        lse = torch.empty(q.shape[:-1])
        rung.backward(q, k, v, o, o, lse, *lead, **options)


def decode(rung, job):
    """The same for the rung of decoding: eight heads over two, caches or pages."""
    options, dims = dict(job["options"]), (job["d"], job["d_v"])
    q = torch.empty(2, 8, job["n_q"], job["d"], dtype=torch.bfloat16)
    k, v = (torch.empty(2, 2, 4096, d, dtype=torch.bfloat16) for d in dims)
    if "sinks" in options:
        options["sinks"] = torch.empty(options["sinks"])
    if options.pop("table", False):
        options["block_table"] = torch.zeros(2, 1, dtype=torch.int32)
    rung.processors = lambda device: (132, job["arch"] >= 90)
    rung.forward(q, k, v, torch.zeros(2, dtype=torch.int32), **options)


def reason(error):
    """The innermost error as text: Triton names the outermost line first."""
    while error.__cause__:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"[-2000:]


def safely(job):
    try:
        return launches(job)
    except Exception as error:
        return {"error": reason(error)}


def each(compiled, jobs):
    """What compiled makes of each job, in two processes.

    Where they are forks, they find Triton's hash of itself, which takes 0.5 s, torch's
    objects out of the garbage collector's way, and that of a kernel only the binary is
    written, without the texts that lead to it.
    """
    triton_key()
    gc.freeze()
    knobs.compilation.store_binary_only = True
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(compiled, jobs))


if __name__ == "__main__":
    found = each(safely, jobs := json.load(sys.stdin))
    count_all([(job["arch"], made) for job, made in zip(jobs, found)])
    json.dump(found, sys.stdout)
