"""Count what each rung of the ladder moves through the L2 and the DRAM of this GPU.

    python scripts/measure/ladder/rungs.py

The first three rungs with the tiles and the formats that the ledger counts, then every
rung as it is, in two cells of `python -m tilewise bench`; each is checked before it is
counted with `ncu`. Writes benchmarks/results/<gpu>-<date>-rungs.json.
"""

import importlib
import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.counters.counters import COUNTERS, total
from measure.shared.attention import draw, error, standard
from measure.shared.machine import milliseconds
from measure.shared.ncu import mark, profile
from measure.shared.results import machine, write

from tilewise.kernels import FORWARD

METHOD = """bf16, forward, no mask, random normal inputs drawn afresh for every row.
Checked first: two heads against float64, error at most twice that of PyTorch's standard
kernels, and where O waits in HBM in bf16 2^-9 sqrt(T_c) more; no value unwritten (freed
blocks hold NaN). ms: median of 20 runs between CUDA events, L2 emptied by reading 512
MiB before each, whatever else the function starts included. Counters: ncu
--clock-control none --cache-control none, one pass a kernel, L2 emptied the same way;
three calls, all in the list. Only kernels of the rung itself count, which `kernels`
names: not the filling of O, m and l, nor L = m + log l, of fa1_order. dram_read,
dram_write: dram__bytes_read.sum, dram__bytes_write.sum; dram_write_after: written while
512 MiB are read after the call, so left in L2 by it. l2_read, l2_write: sectors of 32
bytes between the SMs and L2. Clocks and power limit as found."""
RUNS = 3
KEPT = {"kept": torch.bfloat16}
TILE = {"block_rows": 64, "block_cols": 64, "num_warps": 4}
SMALL = {"batch": 64, "heads": 16, "n": 1024, "d": 64}
ROWS = [
    {"kernel": "naive", **SMALL, "options": {}},
    {"kernel": "fa1_order", **SMALL, "options": TILE | KEPT},
    {"kernel": "fa2_order", **SMALL, "options": TILE | {"block_rows": 128}},
]
ROWS += [
    {"kernel": name, "batch": 4, "heads": 2048 // d, "n": 4096, "d": d, "options": {}}
    for d in (64, 128)
    for name in FORWARD
]
OTHERS = ("elementwise", "vectorized", "Fill", "spin", "reduce")  # PyTorch's own


def call(row):
    """(the rung as a function of nothing, q, k, v) of a row; it returns o."""
    qkv = draw(*(row[key] for key in ("batch", "heads", "n", "d")))
    forward = importlib.import_module(f"tilewise.kernels.{row['kernel']}").forward
    return lambda: forward(*qkv, **row["options"])[0], qkv


def check(row):
    """Add a row's error and times; stop if it is wrong."""
    f, qkv = call(row)
    row["error"] = error(f, *qkv)
    allowed = 2 * error(lambda: standard(*qkv), *qkv)
    if "kept" in row["options"]:
        allowed += 2**-9 * (row["n"] / row["options"]["block_cols"]) ** 0.5
    if not row["error"] <= allowed:
        raise SystemExit(f"wrong: {row}")
    row |= milliseconds(f)
    print(row["kernel"], row["n"], row["d"], row["error"], row["ms"], flush=True)


def child():
    """Under ncu: mark every call of ROWS, RUNS times."""
    full = torch.ones(2**27, device="cuda")
    for row in ROWS:
        f = call(row)[0]
        for _ in range(RUNS):
            mark(f, full.sum)
        del f
        torch.cuda.empty_cache()


def own(kernels):
    """The kernels of a call that the rung itself has written."""
    return [r for r in kernels if not any(x in r["Kernel Name"] for x in OTHERS)]


def count():
    """Add the counters to ROWS."""
    found = profile(COUNTERS.values(), __file__, "--counters")
    if len(found) != RUNS * len(ROWS):
        raise SystemExit(f"{len(found)} marks for {len(ROWS)} rows")
    for row in ROWS:
        mine, found = found[:RUNS], found[RUNS:]
        row["kernels"] = [r["Kernel Name"][:72] for r in own(mine[0][0])]
        for name in COUNTERS:
            row[name] = [total(own(kernels), name) for kernels, _ in mine]
        row["dram_write_after"] = [total(after, "dram_write") for _, after in mine]


def main():
    """Check and time, count, write."""
    print(machine())
    for row in ROWS:
        check(row)
        torch.cuda.empty_cache()
    count()
    for row in ROWS:
        row["options"] = {key: str(x) for key, x in row["options"].items()}
    results = {"triton": triton.__version__, "runs": RUNS, "rows": ROWS}
    write("rungs", METHOD, results)


if __name__ == "__main__":
    child() if sys.argv[1:] == ["--counters"] else main()
