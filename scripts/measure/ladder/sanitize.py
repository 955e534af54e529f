"""Run compute-sanitizer's three tools over every rung of the ladder, once.

    python scripts/measure/ladder/sanitize.py [RUNG …]

memcheck finds accesses out of bounds, synccheck barriers used wrongly, racecheck shared
memory that two warps touch without one. Writes
benchmarks/results/<gpu>-<date>-sanitizer.json; exits with 1 where a tool found errors.
"""

import importlib
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.attention import draw
from measure.shared.results import write

from tilewise import kernels
from tilewise.kernels import BACKWARD, FORWARD, WIDE
from tilewise.kernels.shared import work_backward as _work_backward

METHOD = """Each tool runs each rung in a process of its own, bf16, over the shapes in
`shapes`: (batch, query heads, heads of K and V, N_q, N_k, d, causal). Turns of heads in
gluon_backward come from a smaller fp32 dQ, DQ_BYTES = 2^18 and SCORES = 2^17, so that
small shapes have them; it runs once more as if the card had two SMs, so that its
programs go on to further walks. The rungs for windows take those of WINDOW and sinks,
on two SMs too. These two and gluon_backward end at d = 128 and have no shape with 256.
compute-sanitizer --tool T, racecheck with --racecheck-report all. status: 0 where the
rung ran through all shapes. errors: of its summary, hazards of racecheck. accesses, of
racecheck: how often each was named, by kernel, offset and source line. Clocks and power
limit as found."""
WINDOWED, WINDOW = ("gluon_windows", "gluon_windows_backward"), (100, None)
NARROW = "gluon_backward", *WINDOWED  # take d up to 128, and programs that go on
TOOLS = ("memcheck", "synccheck", "racecheck")
RACECHECK = ["--racecheck-report", "all", "--print-limit", "0"]  # 0: every hazard
SHAPES = (
    (1, 2, 2, 256, 256, 64, False),
    (1, 2, 2, 256, 256, 128, True),
    (2, 4, 2, 300, 200, 64, True),
    (1, 4, 1, 200, 333, 128, "top-left"),
    (1, 8, 1, 700, 700, 128, True),
    (1, 2, 1, 150, 170, 256, True),
)
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (errors?|hazards?)[^\n]*")
ACCESS = re.compile(r"(Read|Write) (?:Thread|access)[^\n]*? at ([^\n]*)")


def child(name):
    """Run one rung over the shapes and look at its results."""
    _work_backward.DQ_BYTES, _work_backward.SCORES = 2**18, 2**17
    module = importlib.import_module(f"tilewise.kernels.{name}")
    run(name, module)
    if name in NARROW:
        module.processors = lambda device: 2
        run(name, module)


def run(name, module):
    """The rung of this name on every shape."""
    for batch, heads, kv_heads, n_q, n_k, d, causal in SHAPES:
        if name in NARROW and d > 128:
            continue
        q = draw(batch, heads, n_q, d)[0]
        k, v = draw(batch, kv_heads, n_k, d)[1:3]
        how, before = {"causal": causal}, kernels.causal
        if name in WINDOWED:
            how |= {"window": WINDOW, "sinks": torch.randn(heads, device="cuda")}
            before = kernels.scores
        if "backward" not in name:
            made = module.forward(q, k, v, **how)
        else:
            o, lse = before.forward(q, k, v, **how)
            made = module.backward(q, k, v, o, torch.ones_like(o), lse, **how)
        torch.cuda.synchronize()
        made = (x for x in made if x is not None)
        assert all(x[x != -torch.inf].isfinite().all() for x in made), name


def examine(tool, name):
    """The row of one tool and one rung."""
    command = ["compute-sanitizer", "--tool", tool]
    command += RACECHECK if tool == "racecheck" else []
    command += [sys.executable, __file__, "--child", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    except subprocess.TimeoutExpired:
        return {"tool": tool, "rung": name, "errors": "not ended within 200 s"}
    text = done.stdout + done.stderr
    found = SUMMARY.search(text)
    row = {"tool": tool, "rung": name, "status": done.returncode}
    row["summary"] = found[0] if found else text[-400:]
    row["errors"] = int(found[1]) if found else "no summary"
    if done.returncode:  # of the rung: the tool has not seen all of its shapes
        row["errors"] = f"ended early: {text[-400:]}"
    if tool == "racecheck":
        pairs = Counter(f"{kind} {place}" for kind, place in ACCESS.findall(text))
        row["accesses"] = dict(pairs.most_common())
    print(tool, name, row["summary"][:100], flush=True)
    return row


def main(rungs):
    if not shutil.which("compute-sanitizer"):
        raise SystemExit(
            "compute-sanitizer is not here: it comes with the CUDA toolkit"
        )
    with ThreadPoolExecutor(6) as pool:  # each waits for its own process
        rows = [*pool.map(lambda x: examine(*x), product(TOOLS, rungs))]
    write("sanitizer", METHOD, {"shapes": SHAPES, "rows": rows})
    wrong = lambda x: x["errors"] and x["tool"] != "racecheck"  # noqa: E731
    bad = [x for x in rows if x.get("status") or wrong(x)]
    raise SystemExit(f"{len(bad)} rows with errors" if bad else 0)


if __name__ == "__main__":
    rungs = sys.argv[1:] or (*FORWARD, *BACKWARD, *WIDE, *WINDOWED)
    child(rungs[1]) if rungs[0] == "--child" else main(rungs)
