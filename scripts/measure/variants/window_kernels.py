"""Measure how long each kernel of the backward pass takes under a sliding window.

    python scripts/measure/variants/window_kernels.py

Writes benchmarks/results/<gpu>-<date>-window-kernels.json.
"""

import sys
from itertools import pairwise
from pathlib import Path
from statistics import median

import torch
from torch.profiler import ProfilerActivity, profile

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants.window_peers import WIDTH, WINDOWS, N, rung

MS = 1000  # of calls, for each window
METHOD = f"""bf16, batch 1, {N} tokens, heads × d = {WIDTH}, causal: each row sees
itself and the window − 1 keys before it; a window of {N} is the causal mask alone. The
backward pass of gluon_windows, by torch.profiler: calls for about {MS} ms without a
pause, so that all windows are measured at the card's limit of power; those of the
second half count. us: medians, in microseconds: of a kernel, those of the sums of its
launches in a call; of the whole call, those of the time from its first kernel's begin
to that of the next call's. launches: in one call."""


def spans(call):
    """[(name, begin, duration)] of the kernels of many calls, in µs, and the calls."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in "be")
    begin.record()
    for _ in range(20):
        call()
    end.record()
    end.synchronize()
    calls = 2 * int(MS / 2 / (begin.elapsed_time(end) / 20)) + 2
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
    times = ((x.name, x.time_range.start, x.device_time) for x in seen.events())
    return sorted((x for x in times if "kernel" in x[0]), key=lambda x: x[1]), calls


def kernels(call):
    """{kernel, launches, us} of each kernel that a call launches, and of the call."""
    for _ in range(3):
        call()
    found, calls = spans(call)
    each, rest = divmod(len(found), calls)
    assert rest == 0 and each in (3, 6), (len(found), calls)
    late = [found[i * each : (i + 1) * each] for i in range(calls // 2, calls)]
    for name in dict.fromkeys(x[0] for x in late[0]):
        us = median(sum(x[2] for x in one if x[0] == name) for one in late)
        yield {"kernel": name, "launches": sum(x[0] == name for x in late[0]), "us": us}
    whole = median(b[0][1] - a[0][1] for a, b in pairwise(late))
    yield {"kernel": "all", "launches": each, "us": whole}


def rows():
    """A row {d, window, kernel, launches, us} for each."""
    for d in (64, 128):
        shape, names = (1, WIDTH // d, N, d), ("q", "k", "v", "do")
        x = {y: torch.randn(shape, device="cuda").bfloat16() for y in names}
        for window in WINDOWS:
            for row in kernels(rung("gluon_windows", x, window)["backward"]):
                yield {"d": d, "window": window} | row
                print(d, window, row, flush=True)


if __name__ == "__main__":
    write("window-kernels", METHOD, {"rows": list(rows())})
