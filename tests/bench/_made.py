"""A file of `bench --share` as a card might give it, for tests; nothing is measured."""

from tilewise.bench import share
from tilewise.bench.cells import PUBLIC, RESULTS, flops

MACHINE = {
    "gpu": "NVIDIA GeForce RTX 9999 (laptop)",
    "compute_capability": "8.9",
    "sms": 100,
    "memory_bytes": 8 * 2**30,
    "l2_bytes": 2**25,
    "power_limit": None,
    "max_sm_clock": "2500 MHz",
    "max_memory_clock": "9001 MHz",
    "driver": "580.159.04",
    "cuda": "13.0",
    "torch": "2.11.0+cu130",
    "cudnn": 91900,
    "triton": "3.6.0",
    "python": "3.12.4",
}
TFLOPS = {"flash": 80.0, "cudnn": 60.0, PUBLIC: 100.0, "causal": 90.0}
LEFT_OUT = 15  # the last cell
OTHER = {"efficient": "failed", "gluon_forward": "not covered"}


def row(way, shape, kernel):
    """A row of a kernel: timed if it is in TFLOPS, else with a reason."""
    if kernel not in TFLOPS:
        reason = OTHER.get(kernel, "out of memory")
        return {"kernel": kernel, "missing": reason}
    ms = flops(shape | {"n_k": shape["n"]}, way) / TFLOPS[kernel] / 1e9
    error = dict.fromkeys(RESULTS[way], 2e-3)
    row = {"kernel": kernel, "ms": ms, "min": ms, "max": ms * 1.1, "rounds": 9}
    row |= {"calls": 4, "graph": kernel != PUBLIC, "error": error, "watts": 71.5}
    return row | {"tflops": flops(shape | {"n_k": shape["n"]}, way) / ms / 1e9}


def cells():
    """Every cell of the file, the last one left out."""
    for n, shape in enumerate(share.expected()):
        way = shape["pass"]
        if n == LEFT_OUT:
            yield shape | {"left_out": "out of memory"}
            continue
        plain = dict.fromkeys(RESULTS[way], 3e-3)
        limits = {"plain": plain, "allowed": {x: 2 * y for x, y in plain.items()}}
        rows = [row(way, shape, kernel) for kernel in share.KERNELS[way]]
        yield shape | limits | {"rows": rows}


def signed(data):
    """The same with what follows from its cells, and its digest."""
    data = data | {"ratios": share.ratios(data["cells"])}
    return data | {"sha256": share.digest(data)}


def made():
    """A file that is as it should be."""
    data = {"form": 1, "version": "1.2.3", "commit": "0" * 40, "date": "2026-11-28"}
    data |= {"command": share.COMMAND, "seconds": 171, "machine": dict(MACHINE)}
    return signed(data | {"cells": list(cells())})
