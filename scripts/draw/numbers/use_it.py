"""Numbers in the prose of the page on which kernel to call."""

from pathlib import Path

from draw.figures._bench import bench
from draw.tables.gpu import peak_memory as peak
from draw.tables.gpu import whole_model as whole

from tilewise.attention.dispatch import TABLE

KERNELS = Path(__file__).resolve().parents[3] / "src/tilewise/kernels"
ADA = (8, 9)  # the compute capability of an RTX 4090


def layers():
    """What was measured of whole layers, and how far Amdahl's law is from it."""
    cells = whole.cells()
    gaps = [
        abs(whole.law(cell, name) / whole.measured(cell, name) - 1)
        for cell in cells.values()
        for name in ("standard", "pytorch")
        if cell[name]["ms"] is not None
    ]
    yield "law_gap", f"{100 * max(gaps):.0f}"
    at = cells[4096]
    times = at["standard"]["attention_ms"] / at["ours"]["attention_ms"]
    yield "standard_times", f"{times:.0f}"
    yield "standard_share", f"{100 * whole.share(at, 'standard'):.0f}"
    yield "standard_law", f"{whole.law(at, 'standard'):.2f}"
    yield "standard_gain", f"{whole.measured(at, 'standard'):.2f}"
    short = [whole.measured(c, "pytorch") for n, c in cells.items() if n <= 65536]
    yield "pytorch_short", f"{100 * (max(short) - 1):.0f}"
    last = cells[131072]
    yield "pytorch_long", f"{100 * (whole.measured(last, 'pytorch') - 1):.0f}"
    yield "fa4_long", f"{100 * (1 - whole.measured(last, 'fa4')):.0f}"
    yield "flex_long", f"{whole.measured(last, 'flex'):.2f}"


def steps():
    """MiB of a step of ours: all heads have their sums, or heads take turns."""
    for row in bench()["memory"]:
        ours = (row["kernel"], row["pass"], row["d"]) == (
            "flash_attention",
            "step",
            128,
        )
        if ours and row["n"] in (4096, 16384):
            yield f"step_{row['n'] // 1024}k", f"{peak.extra(row):.0f}"


def numbers():
    """{name: text}: columns for a small card, the longest file, layers, memory."""
    half = [
        columns
        for least, most, dtypes, columns, *_ in TABLE
        if least <= ADA <= most and len(dtypes) > 1
    ]
    lines = [len(p.read_text("utf-8").splitlines()) for p in KERNELS.glob("*.py")]
    files = {"ada_columns": f"{max(half)}", "longest_file": f"{max(lines)}"}
    return files | dict(layers()) | dict(steps())
