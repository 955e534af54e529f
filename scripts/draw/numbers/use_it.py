"""Numbers in the prose of the page on which kernel to call."""

from pathlib import Path

from tilewise.attention.dispatch import TABLE

KERNELS = Path(__file__).resolve().parents[3] / "src/tilewise/kernels"
ADA = (8, 9)  # the compute capability of an RTX 4090


def numbers():
    """{name: text}: columns that fit a small card, and lines of the longest file."""
    half = [
        columns
        for least, most, dtypes, columns, *_ in TABLE
        if least <= ADA <= most and len(dtypes) > 1
    ]
    lines = [len(p.read_text("utf-8").splitlines()) for p in KERNELS.glob("*.py")]
    return {"ada_columns": f"{max(half)}", "longest_file": f"{max(lines)}"}
