"""Measure how much memory attention's forward and backward pass need on this CPU.

    python scripts/measure/memory/memory.py

Each call in a process of its own, N 1024 to 8192; writes
benchmarks/results/cpu-<date>-memory.json. Linux only: the kernel keeps the peak.
"""

import json
import subprocess
import sys
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import cpu, write

from tilewise import flash_attention
from tilewise.standard import standard_backward, standard_forward

METHOD = """One head, d 64, fp32, no mask, standard normal inputs. Each row: forward and
backward once, in a new process for each of three repeats. peak_bytes: the most resident
memory during the call less that just before it, as the kernel counts for a process
(VmHWM, set back just before through clear_refs, and VmRSS). By then q, k, v and dO are
there, and the same call has run at N = 256, where o and the gradients are checked
against autograd in float64. So o, dQ, dK and dV are in it and the inputs are not.
Median, least and most of the three. standard: softmax(q kT / sqrt d) v in three lines
of PyTorch, by autograd. written: tilewise.standard, forward and backward.
flash_attention: tilewise's, by autograd. pytorch: scaled_dot_product_attention, by
autograd."""

D, REPEATS = 64, 3
SIZES = (1024, 2048, 4096, 8192)


def by_autograd(f):
    """A function q, k, v, do → o, dq, dk, dv that keeps what autograd keeps."""

    def run(q, k, v, do):
        inputs = [x.requires_grad_() for x in (q, k, v)]
        o = f(*inputs)
        return o.detach(), *torch.autograd.grad(o, inputs, do)

    return run


def standard(q, k, v):
    """The formula, as one would write it."""
    s = q @ k.mT * q.shape[-1] ** -0.5
    return torch.softmax(s, -1) @ v


def written(q, k, v, do):
    """The passes of tilewise.standard."""
    o, p = standard_forward(q, k, v)
    return o, *standard_backward(q, k, v, p, do)


CALLS = {
    "standard": by_autograd(standard),
    "written": written,
    "flash_attention": by_autograd(flash_attention),
    "pytorch": by_autograd(scaled_dot_product_attention),
}


def draw(n, dtype=torch.float32):
    """q, k, v, do, each (1, 1, n, d)."""
    torch.manual_seed(0)
    return [torch.randn(1, 1, n, D).to(dtype) for _ in range(4)]


def resident(field):
    """VmRSS, the resident memory of this process, or VmHWM, its peak, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = [x for x in lines if x.startswith(field)]
    return int(line.split()[1]) * 1024


def child(what, n):
    """Print the peak of one call over what was resident before it, in bytes."""
    exact = CALLS["standard"](*draw(256, torch.float64))
    for x, y in zip(CALLS[what](*draw(256)), exact, strict=True):
        if not (x - y).abs().max() < 1e-5:
            raise SystemExit(f"{what}: wrong result")
    inputs = draw(n)
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    results = CALLS[what](*inputs)
    print(resident("VmHWM") - before)
    return results


def measure(what, n):
    """The row of one call at one N."""
    command = [sys.executable, __file__, what, str(n)]
    peaks = []
    for _ in range(REPEATS):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    low, median, high = sorted(peaks)
    row = {"what": what, "n": n, "d": D, "peak_bytes": median, "min": low, "max": high}
    print(json.dumps(row), flush=True)
    return row


def main():
    """Measure every call at every N and write the results."""
    rows = [measure(what, n) for n in SIZES for what in CALLS]
    write("memory", METHOD, {"rows": rows}, cpu())


if __name__ == "__main__":
    if sys.argv[1:]:
        child(sys.argv[1], int(sys.argv[2]))
    else:
        main()
