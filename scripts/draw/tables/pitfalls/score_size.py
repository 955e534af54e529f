"""Error of attention as the scores grow: S in the format, or S in fp32."""

from draw.figures._plot import results
from draw.tables._errors import FILE, units

from tilewise.rounding import roundoff

COLUMNS = (
    ("by_case", "standard", "fp32"), ("by_case", "flash2", "fp32"),
    ("by_case", "standard", "bf16"), ("by_case", "flash2", "bf16"),
    ("gpu_by_case", "flash", "bf16"),
)
LEFT = 0
SAY = {
    "en": ("deviation of the scores", "fp32 standard", "fp32 FA2", "bf16 standard",
           "bf16 FA2", "bf16 SDPA flash, H200"),
    "zh": ("分数的标准差", "fp32 标准", "fp32 FA2", "bf16 标准", "bf16 FA2",
           "bf16 SDPA flash（H200）"),
}


def lines(_):
    """The rms of O in units of u, a line for each factor of Q."""
    found = results(FILE)
    for factor in (1, 2, 4, 8, 16):
        cells = []
        for key, what, name in COLUMNS:
            same = {"n": 1024, "factor": factor, "what": what, "format": name}
            (row,) = (r for r in found[key] if same.items() <= r.items())
            cells.append(units(row["rms"] / roundoff(name)))
        yield f"{factor}", *cells
