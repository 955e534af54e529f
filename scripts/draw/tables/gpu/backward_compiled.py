"""Registers and SRAM of the backward rungs on Hopper: what their test allows them."""

import ast
from pathlib import Path

from tilewise.kernels import BACKWARD

TEST = Path(__file__).resolve().parents[4] / "tests/kernels/test_backward_compile.py"
NAMES = "SPLIT", "TMA", "PACKED", "TABLE"
HOPPER, DIMS = 90, (64, 128)
SAY = {
    "en": {
        "head": (
            "rung",
            "dim $d$",
            "for $\\mathrm dK, \\mathrm dV$",
            "for $\\mathrm dQ$",
        ),
        "cell": "{registers}, {kib:.0f}&nbsp;KiB",
    },
    "zh": {
        "head": (
            "级",
            "维度 $d$",
            "算 $\\mathrm dK, \\mathrm dV$",
            "算 $\\mathrm dQ$",
        ),
        "cell": "{registers}，{kib:.0f}&nbsp;KiB",
    },
}


def table():
    """{(rung, architecture, d): ((registers, bytes), …)}, without running the test."""
    found = {}
    for node in ast.parse(TEST.read_text("utf-8")).body:
        names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        if isinstance(node, ast.Assign) and set(names) <= set(NAMES):
            exec(compile(ast.Module([node], []), str(TEST), "exec"), found)
    return found["TABLE"]


def draw(lang):
    """A Markdown table, a line for each rung and head dimension."""
    say = SAY[lang]
    lines = [f"| {' | '.join(say['head'])} |", "|---|--:|--:|--:|"]
    for (rung, arch, d), kernels in table().items():
        if arch == HOPPER and d in DIMS and rung in BACKWARD:
            made = (say["cell"].format(registers=r, kib=b / 1024) for r, b in kernels)
            lines.append(f"| `{rung}` | {d} | {' | '.join(made)} |")
    return "\n".join(lines)
