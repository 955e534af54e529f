"""What measurements on a GPU share: times, and power while something runs."""

import statistics
import threading
import time

import torch


def milliseconds(f, repeats=20, warm=3):
    """Median, least and most time of f() on the GPU in ms, L2 emptied before each run.

    Emptied by reading 512 MiB, so what f writes back is its own. The reading keeps the
    GPU busy while the host issues f's kernels, so no gap between them is timed.
    """
    flush = torch.ones(2**27, device="cuda")
    for _ in range(warm):
        f()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        flush.sum()
        start.record()
        f()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return {"ms": statistics.median(times), "min": min(times), "max": max(times)}


def hold(f, amount, seconds=3.0):
    """Run f (or nothing) for some seconds: W and MHz of the SMs, `amount` a second."""
    samples, done, start = [], 0, time.time()

    def sample():
        while time.time() - start < seconds:
            samples.append((torch.cuda.power_draw() / 1e3, torch.cuda.clock_rate()))
            time.sleep(0.05)

    watch = threading.Thread(target=sample)
    watch.start()
    while f and time.time() - start < seconds:
        for _ in range(20):
            f()
        torch.cuda.synchronize()
        done += 20
    elapsed = time.time() - start
    watch.join()
    late = samples[len(samples) // 2 :]  # the first half settles
    watts, clock = (statistics.median(x) for x in zip(*late, strict=True))
    out = {"watts": watts, "sm_clock_mhz": clock, "samples": len(late)}
    return out | ({"per_second": amount * done / elapsed} if f else {})
