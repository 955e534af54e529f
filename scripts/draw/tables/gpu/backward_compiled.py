"""Tile, registers and SRAM of the backward rungs for dK and dV on Hopper, by test."""

import ast
from pathlib import Path

from tilewise.kernels import BACKWARD

ROOT = Path(__file__).resolve().parents[4]
TEST = ROOT / "tests/kernels/test_backward_compile.py"
NAMES = "SPLIT", "TMA", "PACKED", "TABLE"
HOPPER, DIMS = 90, (64, 128)
SAY = {
    "en": (
        "rung { .tw-above }", "dim $d$", "rows × keys", "threads", "registers",
        "shared",
    ),
    "zh": ("级 { .tw-above }", "维度 $d$", "行 × 键", "线程", "寄存器", "共享内存"),
}


def assigned(path, names):
    """{name: value} of a file's constants made of these names, without running it."""
    found = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if isinstance(node, ast.Assign) and used <= set(names):
            exec(compile(ast.Module([node], []), str(path), "exec"), found)
    return found


def table():
    """{(rung, architecture, d): ((registers, bytes), …)}, without running the test."""
    return assigned(TEST, NAMES)["TABLE"]


def draw(lang):
    """A Markdown table, a line for each rung and head dimension."""
    lines = [f"| {' | '.join(SAY[lang])} |", "|---" + "|--:" * 5 + "|"]
    for (rung, arch, d), kernels in table().items():
        if arch == HOPPER and d in DIMS and rung in BACKWARD:
            tiles = assigned(ROOT / f"src/tilewise/kernels/{rung}.py", ["TILES"])
            (rows, cols, warps, _), _ = tiles["TILES"][d]
            registers, size = kernels[0]
            made = f"{32 * warps} | {registers} | {size / 1024:.0f}&nbsp;KiB"
            lines.append(f"| `{rung}` | {d} | {rows}&nbsp;×&nbsp;{cols} | {made} |")
    return "\n".join(lines)
