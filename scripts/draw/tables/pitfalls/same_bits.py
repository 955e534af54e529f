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


def draw(lang):
    """A Markdown table of counts, the last column with deterministic algorithms."""
    say, found = SAY[lang], results(FILE)["repeats"]["rows"]
    lines = [f"| {' | '.join(say['head'])} |", "|---|--:|--:|--:|--:|--:|"]
    for free in found:
        if not free["deterministic_algorithms"]:
            (fixed,) = (
                r
                for r in found
                if r["what"] == free["what"] and r["deterministic_algorithms"]
            )
            cells = [
                say[free["what"]],
                *(str(free[t]) for t in ("o", "dq", "dk", "dv")),
            ]
            cells.append(str(fixed["dq"]) if "dq" in fixed else say["none"])
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
