"""Error of attention as the keys become more: tiles of 64 keys are added one by one."""

from draw.figures._plot import results
from draw.figures._svg import count
from draw.tables._errors import FILE, units

from tilewise.rounding import roundoff

COLUMNS = (
    ("standard", "fp32"), ("flash2", "fp32"), ("flash1", "fp32"),
    ("standard", "fp16"), ("flash2", "fp16"), ("flash2", "bf16"),
)
LEFT = 0
SAY = {
    "en": ("keys", "fp32 standard", "fp32 FA2", "fp32 FA1", "fp16 standard",
           "fp16 FA2", "bf16 FA2"),
    "zh": ("键数", "fp32 标准", "fp32 FA2", "fp32 FA1", "fp16 标准", "fp16 FA2",
           "bf16 FA2"),
}


def lines(_):
    """The rms of O in units of u, a line for each number of keys."""
    found = results(FILE)["by_case"]
    for n in sorted({row["n"] for row in found}):
        cells = []
        for what, name in COLUMNS:
            same = {"n": n, "factor": 1, "what": what, "format": name}
            (row,) = (r for r in found if same.items() <= r.items())
            cells.append(units(row["rms"] / roundoff(name)))
        yield count(n), *cells
