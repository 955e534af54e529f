"""Numbers in the prose of the page on serving: bytes of a layer, and the load test."""

import json
from pathlib import Path

from tilewise.hardware import roofs
from tilewise.serve.limits import LIMITS

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks/results"
N, HEADS, D = 4096, 32, 128
WIRE = 10e9 / 8  # bytes per second of 10 Gbit/s; the other wire is ten times as fast
IN_A_MEGABYTE = 10**6 // 6  # numbers in half precision, for q, k and v each


def numbers():
    """{name: text} of every number that this page takes."""
    peak, hbm = roofs("H100")
    row = HEADS * D * 2  # bytes of a token in one of Q, K, V and O
    wire = 4 * N * row / WIRE / (4 * N**2 * D * HEADS / peak)
    load = json.loads(max(RESULTS.glob("cpu-*-serve.json")).read_text("utf-8"))
    return {
        "all_mb": f"{4 * N * row / 1e6:.0f}",
        "slow_wire": f"{wire:.0f}",
        "fast_wire": f"{wire / 10:.0f}",
        "cache_mb": f"{2 * (N + 1) * row / 1e6:.0f}",
        "operations_million": f"{4 * N * D * HEADS / 1e6:.0f}",
        "hbm_us": f"{2 * (N + 1) * row / hbm * 1e6:.0f}",
        "slow_hbm": f"{hbm / WIRE:.0f}",
        "fast_hbm": f"{hbm / WIRE / 10:.0f}",
        "token_kb": f"{4 * row / 1e3:.0f}",
        "queries": f"{IN_A_MEGABYTE // 1000},000",
        "scores_billion": f"{IN_A_MEGABYTE**2 / 1e9:.0f}",
        "queue": f"{LIMITS['queue']}",
        "deadline": f"{LIMITS['deadline']}",
        "memory": f"{LIMITS['memory']}",
        "load": f"{load['load_average']['before'][0]:.0f}",
        "rate": f"{load['per_second']:.0f}",
        "thread_ms": f"{1e3 * load['machine']['cores'] / load['per_second']:.0f}",
        "half_s": f"{load['seconds']['p50']:.2f}",
    }
