"""The forward rungs: tiles, bytes that they ask for, what ptxas made of them."""

import ast
import json
from pathlib import Path

from tilewise.hardware import GPUS
from tilewise.kernels import FORWARD
from tilewise.ledger import flash1_forward, flash2_forward, standard_forward

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "src/tilewise/kernels"
COMPILED = ROOT / "tests/kernels/compiled.json"
NAMES = {
    "en": {
        "naive": "naive", "fa1_order": "FA1 order", "fa2_order": "FA2 order",
        "exp2": "base 2", "causal": "skipping", "descriptors": "descriptors",
        "gluon_forward": "Gluon",
    },
    "zh": {
        "naive": "朴素", "fa1_order": "FA1 次序", "fa2_order": "FA2 次序",
        "exp2": "底数 2", "causal": "跳过空块", "descriptors": "描述符",
        "gluon_forward": "Gluon",
    },
}
RUNGS = FORWARD[:-1]  # those in Triton, whose tiles are tables in their files
HEADS, N, D = 64, 4096, 128  # 16,384 tokens, 2048 numbers each
WORD, FLOAT = 2, 4  # bytes of bf16 and of fp32
WARP, RESERVED = 32, 1024  # threads; bytes of shared memory that a program costs


def tile(rung, d=D):
    """(B_r, B_c, warps, stages) that a rung takes for d, read from its file."""
    for node in ast.parse((KERNELS / f"{rung}.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "TILES":
            table = ast.literal_eval(node.value)
            return table[min(size for size in table if size >= d)]
    raise ValueError(f"{rung} has no TILES")


def asked(rung, *, heads=HEADS, n=N, d=D, causal=False, kept=FLOAT):
    """Bytes that a rung asks for by the ledger, in bf16; ℓ, m and L are fp32.

    fa1_order keeps O in fp32 between its rounds, or in `kept` bytes a number. Rungs
    before causal skip no tile.
    """
    rows, cols, *_ = tile(rung, d)
    if rung == "naive":
        cost = standard_forward(n, d)
        return heads * WORD * (cost["reads"] + cost["writes"])
    if rung == "fa1_order":
        cost = flash1_forward(n, d, rows, cols)
        inputs = 2 * n * d + -(-n // cols) * n * d  # K, V; Q in each round
        state = cost["reads"] + cost["writes"] - inputs  # O, ℓ, m, as (d + 2) numbers
        return heads * (WORD * inputs + (kept * d + FLOAT * 2) * state // (d + 2))
    skips = causal and rung not in ("fa2_order", "exp2")
    cost = flash2_forward(n, d, rows, cols, causal=skips)
    elements = cost["reads"] + cost["writes"]
    return heads * (WORD * (elements - n) + FLOAT * n)


def compiled(rung, d=D):
    """kernel → counts on an H200, with how many programs an SM holds."""
    found = json.loads(COMPILED.read_text("utf-8"))["kernels"][f"{rung} sm_90 d={d}"]
    return {name: on_sm(count, tile(rung, d)[2]) for name, count in found.items()}


def on_sm(count, warps):
    """The counts with programs: as many as registers and SRAM allow."""
    levels = GPUS["H200"]["levels"]
    registers = levels["registers"]["per_sm"]["value"] // 4
    per_warp = -(-count["registers"] // 8) * 8 * WARP  # given out in eights
    fits = (
        registers // (per_warp * warps),
        levels["shared"]["per_sm"]["value"] // (count["shared"] + RESERVED),
    )
    return count | {"programs": min(fits)}
