"""What FlashAttention saves, measured: DRAM traffic, memory, time and error of a forward."""

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent.parent / "benchmarks/results"
SHAPE = {"batch": 4, "heads": 16, "n": 4096, "d": 128}
TEXT = {
    "en": (
        ("", "standard", "FlashAttention", ""),
        (
            "moved through HBM", "memory on top of the inputs", "time",
            "relative error against float64",
        ),
        "{:.0f} times less",
    ),
    "zh": (
        ("", "标准注意力", "FlashAttention", ""),
        ("HBM 访问量", "输入之外的显存", "用时", "与 float64 相比的相对误差"),
        "1/{:.0f}",
    ),
}


def draw(lang):
    """A Markdown table for SHAPE in bfloat16: standard attention and SDPA's flash."""
    data = json.loads((RESULTS / "h200-2026-11-20-roofline.json").read_text("utf-8"))
    rows = {x["what"]: x for x in data["rows"] if SHAPE.items() <= x.items()}
    both = rows["standard"], rows["flash"]
    measured = (
        [(x["dram_read"] + x["dram_write"]) / 1e9 for x in both],
        [x["peak_memory_bytes"] / 2**20 for x in both],
        [x["ms"] for x in both],
    )
    header, names, ratio = TEXT[lang]
    lines = [f"| {' | '.join(header)} |", "|---|---:|---:|---:|"]
    units = ("{:.2f} GB", "{:.0f} MiB", "{:.2f} ms")
    for name, unit, (a, b) in zip(names, units, measured):
        cells = (name, unit.format(a), unit.format(b), ratio.format(a / b))
        lines.append(f"| {' | '.join(cells)} |")
    errors = [f"{x['error']:.4f}" for x in both]
    lines.append(f"| {' | '.join((names[-1], *errors, ''))} |")
    return "\n".join(lines)
