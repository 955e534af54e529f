"""Count with `ncu`: a child process marks calls, the parent reads their kernels."""

import csv
import subprocess
import sys

import torch


def mark(f, empty):
    """In a child of ncu: profile f(), then empty(), with L2 emptied before.

    A spin kernel stands before each of the two, so that the parent finds them.
    """
    f()
    empty()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    for g in (f, empty):
        torch.cuda._sleep(1000)
        g()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def number(text):
    """A number as ncu prints it."""
    return float(text.replace(",", ""))


def profile(metrics, *child):
    """[(kernels of f, kernels of empty)] for each mark, each kernel a dict of ncu's.

    Exits where a kernel took more than one pass: it would have run again with a cache
    that the pass before it had filled.
    """
    tool = ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv"]
    tool += ["--profile-from-start", "off", "--metrics", ",".join(metrics)]
    tool += ["--page", "raw", "--print-units", "base", sys.executable, *child]
    done = subprocess.run(tool, capture_output=True, text=True, timeout=400)
    table = [x for x in done.stdout.splitlines() if x.startswith('"')]
    kernels = [r for r in csv.DictReader(table) if r["ID"]]
    if not kernels:
        raise SystemExit(f"ncu: {done.stdout[-2000:]} {done.stderr[-2000:]}")
    passes = {r["profiler__replayer_passes"] for r in kernels}
    if passes != {"1"}:
        raise SystemExit(f"ncu: {passes} passes a kernel, not one")
    spins = [i for i, r in enumerate(kernels) if "spin" in r["Kernel Name"]]
    ends = [*spins[1:], len(kernels)]
    parts = [kernels[a + 1 : b] for a, b in zip(spins, ends, strict=True)]
    return list(zip(parts[::2], parts[1::2], strict=True))
