"""Measure latency and read bandwidth of every memory level of the GPU at hand.

    python scripts/measure/hardware/latency.py

Compiles latency.cu and bandwidth.cu with nvcc, runs them, and writes medians and spread
to benchmarks/results/<gpu>-<date>-latency.json.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import machine, write

HERE = Path(__file__).resolve().parent
CUDA = [*HERE.glob("*.cu*")]  # and device.cuh
METHOD = """Latency: one thread of one SM follows a random cycle of addresses, one in
every 128-byte line of a set; each load waits for the one before it. The set fits the
level that is named and has been walked once before (the HBM set, 1 GiB, has not: L2
is emptied by writing 512 MiB). L2 and HBM: every SM in turn, the median and the range
over SMs. Loads of L2 and HBM skip L1 (ld.global.cg). latency_by_set: ordinary loads,
sets of 16 KiB to 1 GiB, one SM. A chase counts only if it ends where the host's walk
of the same cycle ends. fma and exp2: a chain in which every step needs the last one
(latency), and 1024 threads an SM with four chains each (throughput). Cycles by
clock64, nanoseconds by %globaltimer in the same launch. Bandwidth: two blocks of 1024
threads an SM read 16 bytes at a time; the sum of all that was read must be right;
shared memory and L1 hold a set for each block, L2 and HBM one set for all; medians of
5 launches by CUDA events, after one to warm up. Clocks as found."""


def lines(name, folder, arch):
    """Compile NAME.cu, run it, and give its results, one dict each."""
    program = Path(folder) / name
    build = ["nvcc", "-O3", "-std=c++17", f"-arch=sm_{arch}", HERE / f"{name}.cu"]
    subprocess.run([*build, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    return [json.loads(x) for x in done.stdout.splitlines()]


def spread(xs):
    """Median, least and most."""
    return {
        "median": round(statistics.median(xs), 3),
        "min": round(min(xs), 3),
        "max": round(max(xs), 3),
    }


def groups(rows, *keys):
    """The rows in groups that agree in these keys, in order of appearance."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[k] for k in keys), []).append(row)
    return found.items()


def latencies(rows):
    """Cycles and nanoseconds a load: by level, and for the sweep by size of the set."""
    levels, sweep = {}, []
    for (level, size), group in groups(rows, "level", "bytes"):
        cycles, ns = [r["cycles"] for r in group], [r["ns"] for r in group]
        if level == "any":
            sweep.append({"bytes": size, "cycles": cycles[0], "ns": ns[0]})
        else:
            levels[level] = {
                "bytes": size,
                "sms": len(group),
                "cycles": spread(cycles),
                "ns": spread(ns),
            }
    return levels, sweep


def bandwidths(rows, sms):
    """Bytes a second read: by level, and by size of the set for L2 and HBM."""
    levels, sweep = {}, []
    for (level, size), group in groups(rows, "level", "bytes"):
        rates = [r["read"] / r["ms"] * 1e3 for r in group]
        clock = statistics.median(r["mhz"] for r in group) * 1e6
        row = {
            "bytes": size,
            "bytes_per_second": spread(rates),
            "sm_clock_hz": round(clock),
            "bytes_per_clock_per_sm": round(statistics.median(rates) / clock / sms, 2),
        }
        if level == "any":
            sweep.append(row)
        else:
            levels[level] = row
    return levels, sweep


def operations(rows):
    """Cycles of one dependent fma and exp2, and results a clock an SM at full load."""
    out = {}
    for (what, threads), group in groups(rows, "what", "threads"):
        row = out.setdefault(what, {})
        if threads == 32:
            row["latency_cycles"] = spread([r["cycles"] for r in group])
        else:
            row["per_clock_per_sm"] = spread([r["per_clock"] for r in group])
            row["sm_clock_hz"] = round(statistics.median(r["mhz"] for r in group) * 1e6)
    return out


def main():
    """Compile, run, reduce to medians, write."""
    about = machine()
    arch = about["compute_capability"].replace(".", "")
    with tempfile.TemporaryDirectory() as folder:
        rows = lines("latency", folder, arch) + lines("bandwidth", folder, arch)
    latency, sweep = latencies([r for r in rows if r["what"] == "latency"])
    bandwidth, by_set = bandwidths(
        [r for r in rows if r["what"] == "bandwidth"], about["sms"]
    )
    results = {
        "latency": latency,
        "latency_by_set": sweep,
        "operations": operations([r for r in rows if r["what"] in ("fma", "exp2")]),
        "read_bandwidth": bandwidth,
        "read_bandwidth_by_set": by_set,
    }
    write("latency", METHOD, results, more=CUDA)


if __name__ == "__main__":
    main()
