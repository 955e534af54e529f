"""Translate the variants of scripts/measure/variants to Triton's own IR, for Hopper.

A process of its own, without TRITON_INTERPRET: python _traced.py reads [[module,
variant], …] as JSON and writes for each "ok", or what went wrong. What comes after this
IR takes ten times as long, and what it makes is timed on a card.
"""

import importlib
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import triton
from _compile import Card, each, reason
from triton.backends.nvidia.compiler import CUDABackend
from triton.runtime.driver import driver

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from measure.variants._variants import load


class Enough(Exception):
    """Triton's IR is there."""


def enough(*_, **__):
    raise Enough


def translate(kernel, _):
    """In place of kernel[grid]."""

    def launch(*args, **options):
        try:
            kernel.run(*args, grid=None, warmup=True, **options)
        except Enough:
            pass

    return launch


def run(kernels, variant, name, d, causal):
    """The variant's host code on empty tensors."""
    q = torch.empty(2, 4, 4096, d, dtype=torch.bfloat16)
    if hasattr(kernels, "forward"):
        kernels.check_covered = lambda *_: None
        kernels.forward(q, q, q, causal=causal, **variant["tile"])
    else:
        torch.use_deterministic_algorithms(name.startswith("ordered"))
        kernels.backward(q, q, q, q, q, torch.empty(q.shape[:-1]), causal=causal)


def traced(job):
    """What becomes of one variant: at d = 64, and with a mask at d = 128."""
    triton.JITFunction.__getitem__ = translate
    CUDABackend.make_llir = enough
    driver.set_active(Card(90))
    module, name = importlib.import_module(f"measure.variants.{job[0]}"), job[1]
    variant = module.VARIANTS[name]
    dims = variant["dims"] if isinstance(variant, dict) else (64, 128)
    with TemporaryDirectory() as folder:
        kernels = load(name, module.text(name), folder)
        try:
            for d in dims:
                run(kernels, variant, name, d, d == 128)
        except Exception as error:
            return reason(error)
    return "ok"


if __name__ == "__main__":
    json.dump(each(traced, json.load(sys.stdin)), sys.stdout)
