"""Registers and SRAM of the backward rungs on Hopper: what their test allows them."""

import ast
from pathlib import Path

from tilewise.kernels import BACKWARD

TEST = Path(__file__).resolve().parents[4] / "tests/kernels/test_backward_compile.py"
NAMES = "SPLIT", "TMA", "PACKED", "TABLE"
HOPPER, DIMS = 90, (64, 128)
SAY = {
    "en": ("rung", "dim $d$", "$\\mathrm dK, \\mathrm dV$: registers", "shared"),
    "zh": ("级", "维度 $d$", "$\\mathrm dK, \\mathrm dV$：寄存器", "共享内存"),
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
    rung, dim, registers, shared = SAY[lang]
    again = registers.replace("dK, \\mathrm dV", "dQ")
    head = f"{rung} | {dim} | {registers} | {shared} | {again} | {shared}"
    lines = [f"| {head} |", "|---" + "|--:" * 5 + "|"]
    for (rung, arch, d), kernels in table().items():
        if arch == HOPPER and d in DIMS and rung in BACKWARD:
            made = (f"{r} | {b / 1024:.0f}&nbsp;KiB" for r, b in kernels)
            lines.append(f"| `{rung}` | {d} | {' | '.join(made)} |")
    return "\n".join(lines)
