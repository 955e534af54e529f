"""The parts of practices.py about options: masks, tiles, the compiler, TF32, bits."""

import os
from itertools import product

import torch
from measure.practices._practices import (
    backend,
    case,
    entries,
    masked,
    same,
    shape,
    standard,
    turns,
)
from measure.practices._practices_kernels import FUSED

from tilewise.bench import peers
from tilewise.bench.cells import PASSES
from tilewise.kernels import causal as pointers

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # asked for by the deterministic mode


def masks():
    """Causal by a flag, by a mask of bools, by one of numbers; and all keys."""
    names = {**FUSED, "math": backend("math"), "bools": masked}
    names["numbers"] = lambda x: masked(x, x["q"].dtype)
    for n, d, way in product((1024, 4096, 16384), (64, 128), PASSES):
        full, half = case(shape(n, d)), case(shape(n, d, True))
        calls = {f"{k}, full": (full, m) for k, m in entries(FUSED, way).items()}
        calls |= {f"{k}, causal": (half, m) for k, m in entries(names, way).items()}
        yield from turns("masks", way, calls)


def tile(rows, cols, warps):
    """make(x) of the rung causal with a tile; what it refuses it says."""
    options = {"block_rows": rows, "block_cols": cols, "num_warps": warps}
    return lambda x: lambda: pointers.forward(x["q"], x["k"], x["v"], **options)[:1]


def tiles():
    """Plain Triton's tiles, with sizes that are no powers of two among them."""
    sizes = [*product((32, 64, 128), (32, 64, 128), (4, 8)), (16, 64, 4)]
    sizes += [(48, 64, 4), (64, 80, 4), (96, 96, 4), (192, 128, 8)]
    for d in (64, 128):
        makes = {f"{r} x {c}, {w} warps": tile(r, c, w) for r, c, w in sizes}
        yield from same("tiles", "forward", case(shape(4096, d)), makes)


def compiled():
    """torch.compile of attention written out, and of fused calls."""
    names = {"standard": standard, "sdpa": peers.usual, "ours": peers.public}

    def compiling(prepare):
        return lambda x: torch.compile(prepare(x), dynamic=False)

    for n, d, causal in product((1024, 4096), (64, 128), (False, True)):
        torch._dynamo.reset()
        both = names | {f"{k}, compiled": compiling(p) for k, p in names.items()}
        given = case(shape(n, d, causal))
        for graph in (True, False):
            yield from same(
                "compile", "forward", given, entries(both, "forward"), graph
            )


def precise(prepare, how):
    """prepare(x) under torch.set_float32_matmul_precision(how)."""

    def prepared(x):
        attention = prepare(x)

        def run(q, k, v):
            before = torch.get_float32_matmul_precision()
            torch.set_float32_matmul_precision(how)
            try:
                return attention(q, k, v)
            finally:
                torch.set_float32_matmul_precision(before)

        return run

    return prepared


def tf32():
    """fp32 inputs with the switch at highest and high; bf16 inputs with both."""
    names = {"math": backend("math"), "efficient": backend("efficient")}
    names |= {"standard": standard, "ours": peers.public}
    for n, d, dtype in product(
        (1024, 4096), (64, 128), (torch.float32, torch.bfloat16)
    ):
        given = case(shape(n, d), dtype, allowed=2**14 if dtype.itemsize == 4 else 2)
        both = {
            f"{name}, {how}": precise(prepare, how)
            for name, prepare in names.items()
            for how in ("highest", "high")
        }
        yield from same("tf32", "forward", given, entries(both, "forward"))


def repeatable(make, how):
    """make(x) of a pass under torch.use_deterministic_algorithms(how)."""

    def made(x):
        run = make(x)

        def call():
            torch.use_deterministic_algorithms(how)
            try:
                return run()
            finally:
                torch.use_deterministic_algorithms(False)

        return call

    return made


def deterministic():
    """The backward pass in any order of additions and in a fixed one."""
    names = FUSED | {"efficient": backend("efficient"), "math": backend("math")}
    for n, d, causal in product((1024, 4096, 16384), (64, 128), (False, True)):
        makes = {
            f"{name}, {word}": repeatable(make, how)
            for name, make in entries(names, "backward").items()
            for word, how in (("any order", False), ("fixed order", True))
        }
        yield from same("deterministic", "backward", case(shape(n, d, causal)), makes)


PARTS = (masks, tiles, compiled, tf32, deterministic)
