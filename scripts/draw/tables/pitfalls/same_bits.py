"""How many different results 20 backward passes on the same tensors give."""

from draw.figures._plot import results
from draw.tables._errors import FILE

SAY = {
    "en": {
        "head": ("SDPA backend", "O", "dQ", "dK", "dV", "dQ, deterministic"),
        "flash": "FlashAttention-2", "cudnn": "cuDNN",
        "efficient": "memory-efficient", "math": "math", "none": "not offered",
    },
    "zh": {
        "head": ("SDPA 后端", "O", "dQ", "dK", "dV", "dQ（确定性模式）"),
        "flash": "FlashAttention-2", "cudnn": "cuDNN",
        "efficient": "memory-efficient", "math": "math", "none": "不可用",
    },
}


def lines(say):
    """Counts, the last with deterministic algorithms."""
    found = results(FILE)["repeats"]["rows"]
    fixed = {r["what"]: r for r in found if r["deterministic_algorithms"]}
    for free in (r for r in found if not r["deterministic_algorithms"]):
        cells = [free[t] for t in ("o", "dq", "dk", "dv")]
        cells.append(fixed[free["what"]].get("dq", say["none"]))
        yield say[free["what"]], *map(str, cells)
