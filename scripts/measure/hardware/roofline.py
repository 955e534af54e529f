"""Measure where attention sits under the roofline of the GPU at hand.

    python scripts/measure/hardware/roofline.py

Ceilings (a matrix product, a copy), standard attention with its kernels one by one, and
fused attention, each checked before it is timed; DRAM bytes from `ncu` where there is
one. Writes benchmarks/results/<gpu>-<date>-roofline.json.
"""

import shutil
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.attention import calls, draw, error
from measure.shared.machine import hold, milliseconds
from measure.shared.ncu import mark, number, profile
from measure.shared.results import machine, write

METHOD = """bf16, forward, no mask, random normal inputs drawn afresh for every
setting; batch x seqlen = 16384 and heads x head_dim = 2048 (the setting of the papers
of FlashAttention-2 and -3), and batch 64, heads 16, N 1024, d 64 (figure 2 of the
first paper). Checked first: two heads against float64, error at most twice that of
the standard bf16 kernels, no value unwritten (freed blocks hold NaN). Times: median
of 20 runs between CUDA events, L2 emptied by reading 512 MiB before each.
negate_by_set: a graph of 50 kernels y = -x over one pair of buffers, x + y = bytes,
bytes read + written a second. host: 1 GiB of pinned memory. FLOPs by formula: 4 B H
N^2 d for attention, 2 B H N^2 d for one of its products, 5 for an element of softmax
(maximum, subtract, exponential, add, divide), 1 for an element of the scaling.
three_kernels and scaled_softmax: scaling and softmax in one kernel by torch.compile.
Bytes counted: what the kernels ask for, each input read once and each output written
once; for flash K and V once for each 128 rows of Q. Bytes compulsory: Q, K, V and O
once. DRAM bytes: dram__bytes_read.sum and dram__bytes_write.sum of ncu --clock-
control none --cache- control none, one run, L2 emptied before; what stays in L2 at
the end is not in them. Peak memory: allocated by the call, its output included. Power
and clock: NVML every 50 ms while the same call runs for 3 s, median of the last 1.5
s. Clocks and power limit as found."""

SHAPES = [
    (16384 // n, 2048 // d, n, d) for d in (64, 128) for n in (1024, 2048, 4096, 8192)
]
SHAPES.append((64, 16, 1024, 64))  # batch, heads, N, d
DRAM = {"dram_read": "dram__bytes_read.sum", "dram_write": "dram__bytes_write.sum"}
HELD = (4, 16, 4096, 128)  # the shape whose power is measured


def peak(f):
    """Bytes that f() allocates at its peak, its result included."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    f()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def attention(b, h, n, d):
    """One row a call: error, time, FLOPs, bytes, memory."""
    q, k, v = draw(b, h, n, d)
    rows, allowed = [], 1e-2
    for name, (f, flops, counted) in calls(q, k, v).items():
        row = {"what": name, "batch": b, "heads": h, "n": n, "d": d, "flops": flops}
        if flops == 4 * b * h * n * n * d:
            row["bytes_compulsory"] = 8 * b * h * n * d
            row["error"] = error(f, q, k, v)
            if not row["error"] <= allowed:
                raise SystemExit(f"{name}, N {n}, d {d}: error {row['error']:.1e}")
            allowed = 2 * row["error"] if name == "standard" else allowed
        row["bytes_counted"] = counted
        row |= milliseconds(f)
        row["peak_memory_bytes"] = peak(f)
        row["tflops"] = flops / row["ms"] / 1e9
        rows.append(row)
        print(f"{name:14} N={n:5} d={d:3} {row['ms']:9.3f} ms {row['tflops']:6.1f} T/s")
    return rows


def matmul(n=8192):
    """An n × n × n product in bf16, checked on 64 rows: its row, and the call."""
    a, b = (torch.randn(n, n, device="cuda").bfloat16() for _ in range(2))
    c = torch.full_like(a, torch.nan)
    torch.matmul(a, b, out=c)
    want = a[:64].double() @ b.double()
    bad = ((c[:64].double() - want).norm() / want.norm()).item()
    if not (bad < 1e-2 and torch.isfinite(c).all()):
        raise SystemExit(f"matmul: error {bad:.1e}")
    row = {"n": n, "flops": 2 * n**3, "bytes_compulsory": 6 * n * n, "error": bad}
    row |= milliseconds(lambda: torch.matmul(a, b, out=c))
    row["tflops"] = row["flops"] / row["ms"] / 1e9
    return row, lambda: torch.matmul(a, b, out=c)


def copy(size):
    """Copy size / 2 bytes: its row (read + written), and the call."""
    source = torch.randn(size // 4, device="cuda").bfloat16()
    target = torch.full_like(source, torch.nan)
    target.copy_(source)
    if not torch.equal(source, target):
        raise SystemExit("copy: source and target differ")
    row = {"bytes": 2 * source.nbytes} | milliseconds(lambda: target.copy_(source))
    row["bytes_per_second"] = row["bytes"] / row["ms"] * 1e3
    return row, lambda: target.copy_(source)


def from_host(size=2**30):
    """Copy `size` bytes from pinned host memory to the GPU, and back."""
    host = torch.randint(256, (size,), dtype=torch.uint8).pin_memory()
    target = torch.empty(size, dtype=torch.uint8, device="cuda")
    down = milliseconds(lambda: target.copy_(host, non_blocking=True), repeats=5)
    up = milliseconds(lambda: host.copy_(target, non_blocking=True), repeats=5)
    rates = {"to_gpu": size / down["ms"] * 1e3, "to_host": size / up["ms"] * 1e3}
    return {"bytes": size, "bytes_per_second": rates}


def negate(size, times=50):
    """y = −x, again and again over one x and one y, together `size` bytes."""
    x = torch.randn(size // 4, device="cuda").bfloat16()
    y = torch.full_like(x, torch.nan)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            torch.neg(x, out=y)
    row = {"bytes": 2 * x.nbytes, "times": times} | milliseconds(graph.replay)
    if not torch.equal(x, -y):
        raise SystemExit("negate: wrong result")
    row["bytes_per_second"] = row["bytes"] * times / row["ms"] * 1e3
    return row


def count(rows):
    """Add the DRAM bytes of ncu to the rows, if there is one; say which."""
    if not shutil.which("ncu"):
        return "not counted: no ncu here"
    marks = profile(DRAM.values(), __file__, "--counters")
    for row, (kernels, _) in zip(rows, marks, strict=True):
        row["kernels"] = [r["Kernel Name"][:72] for r in kernels]
        for key, metric in DRAM.items():
            row[key] = sum(number(r[metric]) for r in kernels)
    return "counted"


def main():
    """Measure all and write the results."""
    print(machine())
    product, f = matmul()
    big, g = copy(2**33)
    print(f"{product['tflops']:.0f} TFLOP/s, {big['bytes_per_second'] / 1e12:.2f} TB/s")
    power = {"idle": hold(None, 0), "matmul": hold(f, product["flops"])}
    power["copy"] = hold(g, big["bytes"])
    del f, g
    megabytes = (16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 192, 256, 1024, 4096)
    by_set = [negate(m * 2**20) for m in megabytes]
    rows = [row for shape in SHAPES for row in attention(*shape)]
    for name, (f, flops, _) in calls(*draw(*HELD)).items():
        if name in ("standard", "softmax", "flash", "cudnn"):
            power[name] = hold(f, flops)
    del f
    torch.cuda.empty_cache()
    results = {"matmul": product, "copy": big, "negate_by_set": by_set, "power": power}
    results |= {"host": from_host(), "power_shape": HELD}
    results |= {"counters": "not counted", "rows": rows}
    write("roofline", METHOD, results)  # lest the counters fail
    results["counters"] = count(rows)
    write("roofline", METHOD, results)
    print(results["counters"], power, results["host"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--counters"]:
        full = torch.ones(2**27, device="cuda")
        for shape in SHAPES:
            for call, _, _ in calls(*draw(*shape)).values():
                mark(call, full.sum)
    else:
        main()
