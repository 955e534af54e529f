"""Compile what the stand-alone files of Triton launch, for cards that are not there.

A process of its own, without TRITON_INTERPRET: python -m tests.alone._compiled reads
jobs as JSON, [file, architecture, d, d_v, {option: value}], and writes for each the
kernels of a forward and a backward pass, and what ptxas made of them.
"""

import json
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "kernels"))

import torch
from _compile import each, launched
from _sass import count_all, taken

from tests.alone._alone import loaded
from tilewise.alone import program


def as_on_card(tiles, arch, *tensors):
    """What tiles() chooses for these tensors on a card."""
    torch.cuda.get_device_capability = lambda device: divmod(arch, 10)
    there = {"is_cuda": True, "device": None}
    return tiles(*(SimpleNamespace(dtype=x.dtype, shape=x.shape, **there)
                   for x in tensors))  # fmt: skip


def both_passes(file, d, d_v, how):
    """A call and its gradients, of nothing."""
    q, k, v = (
        torch.empty(2, heads, 1000, x, dtype=torch.bfloat16, requires_grad=True)
        for heads, x in ((4, d), (4, d), (4, d_v))
    )
    for name in {"alibi_slopes", "sinks"} & how.keys():
        how = how | {name: torch.empty(how[name], requires_grad=True)}
    found = file.flash_attention(q, k, v, causal=True, return_lse=True, **how)
    torch.autograd.backward(found, [torch.empty_like(x) for x in found])


def compiled(job):
    """{kernel: counts} of a job, or what went wrong."""
    name, arch, d, d_v, how = job
    with TemporaryDirectory() as folder:
        file = loaded(name, program(name), Path(folder))
        file.tiles = partial(as_on_card, file.tiles, arch)
        try:
            kernels = launched(arch, lambda: both_passes(file, d, d_v, how))
            return {x: taken(kernel) for x, kernel in kernels.items()}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"[-2000:]}


if __name__ == "__main__":
    found = each(compiled, jobs := json.load(sys.stdin))
    count_all([(job[1], made) for job, made in zip(jobs, found)])
    json.dump(found, sys.stdout)
