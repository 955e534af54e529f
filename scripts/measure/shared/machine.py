"""What every measurement shares: the machine, timing, power, DRAM counters, writing."""

import csv
import datetime
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import torch

from tilewise.bench.machine import machine, short

ROOT = Path(__file__).resolve().parents[3]


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


def mark(f):
    """In a child of `ncu`: run f() once, profiled, L2 emptied, after a spin kernel."""
    f()
    torch.ones(2**27, device="cuda").sum()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    torch.cuda._sleep(1000)
    f()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def dram(rows, *child):
    """Add DRAM bytes to the rows: `python *child` marks one call a row, in order."""
    metrics = {
        "dram_read": "dram__bytes_read.sum",
        "dram_write": "dram__bytes_write.sum",
    }
    tool = ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv"]
    tool += ["--profile-from-start", "off", "--metrics", ",".join(metrics.values())]
    tool += ["--page", "raw", "--print-units", "base", sys.executable, *child]
    if not shutil.which("ncu"):
        return "not counted: no ncu here"
    try:
        done = subprocess.run(tool, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "not counted: ncu did not end within 120 s"
    table = [x for x in done.stdout.splitlines() if x.startswith('"')]
    kernels = [r for r in csv.DictReader(table) if r["ID"]]
    marks = [i for i, r in enumerate(kernels) if "spin" in r["Kernel Name"]]
    if len(marks) != len(rows):
        print(done.stdout[-2000:], done.stderr[-2000:])
        return f"not counted: {len(marks)} marks for {len(rows)} calls"
    for row, a, b in zip(rows, marks, [*marks[1:], len(kernels)], strict=True):
        mine = kernels[a + 1 : b]
        row["kernels"] = [r["Kernel Name"][:72] for r in mine]
        for key, metric in metrics.items():
            row[key] = sum(float(r[metric].replace(",", "")) for r in mine)
    return "counted"


def write(name, method, sources, results):
    """Write benchmarks/results/<gpu>-<date>-<name>.json, or the same under $OUT."""
    about = machine()
    date = datetime.date.today().isoformat()
    folder = Path(os.environ.get("OUT", ROOT / "benchmarks/results"))
    files = [ROOT / "scripts/measure" / source for source in sources]
    text = {
        "gpu": about["gpu"],
        "date": date,
        "command": f"python scripts/measure/{sources[0]}",
        "method": " ".join(method.split()),
        "machine": about,
        "source_sha256": {
            f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files
        },
        **results,
    }
    path = folder / f"{short(about['gpu'])}-{date}-{name}.json"
    path.write_text(json.dumps(text, indent=1) + "\n", "utf-8")
    print(f"wrote {path.name}")
