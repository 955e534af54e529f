"""Measure the error of attention in five number formats, and what repeats to the bit.

    python scripts/measure/precision/precision.py

Standard attention and both orders of tiles on the CPU, and on the GPU PyTorch's kernels
and a Triton one, all against float64 (fp64 against 80-bit extended precision). Writes
benchmarks/results/<gpu>-<date>-precision.json. --cpu prints the CPU's part alone.
"""

import os
import platform
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy
import torch

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # asked for by the deterministic mode

from tilewise.flash1 import flash1_backward, flash1_forward
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.rounding import DTYPES, FORMATS, Products, rounded
from tilewise.standard import standard_backward, standard_forward

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts

METHOD = """Inputs Q, K, V, dO: standard normal, torch.manual_seed(0), float64 on the
CPU, then cast; 1 batch, 4 heads, N 1024, d 64, scale 1/8, no mask. max: largest
absolute error; rms: ||x - y|| / ||y||, over all heads. y is standard attention in
float64 on the cast inputs; for fp64 in 80-bit extended precision, by numpy. what =
inputs: float64 attention on the rounded inputs against that on the inputs before. CPU:
standard is tilewise.standard in the format's dtype; flash1 and flash2 have 64 x 64
tiles, fp32 sums, and the operands of every product rounded to the format (ties to even)
as for matrix units; tf32 is fp32 with such products for standard too. by_case: 64
queries, n keys, forward, Q times factor. GPU: standard is the same code; flash, cudnn,
efficient and math are scaled_dot_product_attention's backends with autograd; fp32 is
set_float32_matmul_precision highest, tf32 is high; triton is the kernel of
_precision_triton.py, by input_precision of its tl.dot (default: not given). probe: 1 +
3/4 of TF32's spacing, times 1. exp2: x = 0 to -126 in steps of 1/1024, fp32, error
relative to float64 in units of 2^-24; exp: x = 0 to -87; subnormal: is 2^-130 more than
0? cpu_gpu_equal: share of standard's fp32 o that is equal on both. repeats: forward and
backward on the same tensors, number of different results, in bf16, with
torch.use_deterministic_algorithms off and on. batch: is the first result of a batch
equal, bit for bit, to the one alone, in bf16?"""

HEADS, N, D, TILE = 4, 1024, 64, 64
CASES = [(n, 1) for n in (256, 1024, 4096, 16384, 65536)]
CASES += [(1024, factor) for factor in (2, 4, 8, 16)]
TENSORS = ("o", "dq", "dk", "dv")


def draw(n_q=N, n_k=N):
    """Q, K, V, dO in float64, on the CPU, always the same."""
    torch.manual_seed(0)
    sizes = (n_q, n_k, n_k, n_q)
    return [torch.randn(1, HEADS, n, D, dtype=torch.float64) for n in sizes]


def cast(tensors, name):
    """The inputs in a format's dtype; TF32 lives in fp32."""
    return [x.to(DTYPES.get(name, torch.float32)) for x in tensors]


def standard(q, k, v, do):
    """(o, dq, dk, dv) by standard attention."""
    o, p = standard_forward(q, k, v)
    return o, *standard_backward(q, k, v, p, do)


def flash1(q, k, v, do):
    """(o, dq, dk, dv) by FlashAttention's tiles."""
    o, m, l = flash1_forward(q, k, v, TILE, TILE)
    return o, *flash1_backward(q, k, v, o, do, m, l, TILE, TILE)


def flash2(q, k, v, do):
    """(o, dq, dk, dv) by FlashAttention-2's tiles."""
    o, lse = flash2_forward(q, k, v, TILE, TILE)
    return o, *flash2_backward(q, k, v, o, do, lse, TILE, TILE)


def extended(q, k, v, do):
    """(o, dq, dk, dv) by standard attention in x86's 80-bit extended precision."""
    assert numpy.finfo(numpy.longdouble).nmant == 63
    q, k, v, do = (x.numpy().astype(numpy.longdouble) for x in (q, k, v, do))
    s = q @ k.swapaxes(-1, -2) * numpy.longdouble(D) ** -0.5
    p = numpy.exp(s - s.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    dp = do @ v.swapaxes(-1, -2)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True)) * numpy.longdouble(D) ** -0.5
    dq, dk = ds @ k, ds.swapaxes(-1, -2) @ q
    return p @ v, dq, dk, p.swapaxes(-1, -2) @ do


def difference(x, y):
    """Largest absolute and relative rms difference from the reference y."""
    if isinstance(y, numpy.ndarray):
        x = x.numpy().astype(numpy.longdouble) - y
        norm = numpy.sqrt((x * x).sum() / (y * y).sum())
        return {"max": float(abs(x).max()), "rms": float(norm)}
    x = x.double().cpu() - y
    return {"max": x.abs().max().item(), "rms": (x.norm() / y.norm()).item()}


def rows(what, name, found, exact):
    """One row for each of o, dq, dk, dv."""
    return [
        {"what": what, "format": name, "tensor": tensor, **difference(x, y)}
        for tensor, x, y in zip(TENSORS, found, exact, strict=False)
    ]


def products(what, name):
    """What surrounds a call so that its products have operands of the format."""
    tiled = what in ("flash1", "flash2") and name in ("bf16", "fp16")
    return Products(name) if tiled or name == "tf32" else nullcontext()


def on_cpu():
    """All formats, three algorithms, forward and backward."""
    inputs, out = draw(), []
    ideal = standard(*inputs)
    for name in FORMATS:
        tensors = cast(inputs, name)
        exact = standard(*(x.double() for x in tensors))
        exact = extended(*inputs) if name == "fp64" else exact
        if name != "fp64":
            x = [rounded(t, name).double() for t in inputs]
            out += rows("inputs", name, standard(*x), ideal)
        for f in (standard, flash1, flash2):
            with products(f.__name__, name):
                found = f(*tensors)
            out += rows(f.__name__, name, found, exact)
    return out


def by_case(calls):
    """Errors of (what, format, f): more and more keys, larger and larger scores."""
    out = []
    for n, factor in CASES:
        q, k, v, _ = draw(64, n)
        for what, name, f in calls:
            tensors = cast((factor * q, k, v), name)
            exact = standard_forward(*(x.double() for x in tensors))[:1]
            with products(what, name):
                found = rows(what, name, [f(*tensors)], exact)
            out += [{"n": n, "factor": factor, **row} for row in found]
    return out


def cpu_by_case():
    """by_case for the CPU's three algorithms."""
    calls = {
        "standard": lambda *x: standard_forward(*x)[0],
        "flash1": lambda *x: flash1_forward(*x, TILE, TILE)[0],
        "flash2": lambda *x: flash2_forward(*x, TILE, TILE)[0],
    }
    names = [name for name in FORMATS if name != "fp64"]
    return by_case([(what, n, f) for n in names for what, f in calls.items()])


def show(found):
    """Print rows, errors as multiples of the format's u where it has one."""
    for row in found:
        print(*(f"{x:.3g}" if isinstance(x, float) else x for x in row.values()))


def cpu():
    """What the CPU is called, and its cores."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    name = next((x.split(": ")[1] for x in lines if x.startswith("model name")), "")
    capability = torch.backends.cpu.get_cpu_capability()
    about = {"name": name or platform.machine(), "cores": os.cpu_count()}
    return about | {"capability": capability, "numpy": numpy.__version__}


def main():
    """Measure all and write the results."""
    results = {"cpu": cpu(), "shape": {"batch": 1, "heads": HEADS, "n": N, "d": D}}
    results |= {"rows": on_cpu(), "by_case": cpu_by_case()}
    show(results["rows"] + results["by_case"])
    if "--cpu" in sys.argv:
        return
    from measure.precision import _precision_gpu as gpu
    from measure.shared.results import write

    results |= gpu.measure(draw, cast, standard, rows, by_case)
    write("precision", METHOD, results)


if __name__ == "__main__":
    main()
