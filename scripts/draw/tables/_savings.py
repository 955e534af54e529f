"""One forward of standard attention and of FlashAttention, as measured."""

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks/results"
SHAPE = {"batch": 4, "heads": 16, "n": 4096, "d": 128}


def rows(*names):
    """The rows of the roofline measurement for SHAPE, by name."""
    data = json.loads((RESULTS / "h200-2026-11-20-roofline.json").read_text("utf-8"))
    found = {x["what"]: x for x in data["rows"] if SHAPE.items() <= x.items()}
    return [found[name] for name in names]


def traffic(row):
    """GB that crossed between HBM and the chip, by the hardware's counters."""
    return (row["dram_read"] + row["dram_write"]) / 1e9


def memory(row):
    """GB allocated on top of the inputs."""
    return row["peak_memory_bytes"] / 1e9
