"""The copy in which mutants are made, and pytest in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PARTS = ("properties", "exercises", "live", "test_*.py")
LEFT_OUT = """bench_page bench_results best_practices best_practices_calls
best_practices_measured best_practices_numbers checkpointing_results cli counters
docstrings elements figures figures_io figures_masks figures_primer figures_ring
floors ladder library mutation_results packing_model packing_results packing_speed
plots precision_results results ring ring_results ring_turns sdpa_samples
types""".split()
LONGEST = 5.0  # s


def copied(work):
    """A fresh copy of the project's files, with what npm has installed."""
    copy = work / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.check_output(command, cwd=ROOT, text=True)
    for name in names.split("\0")[:-1]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    if (found := ROOT / "scripts/web/node_modules").is_dir():
        shutil.copytree(found, copy / "scripts/web/node_modules", symlinks=True)
    return copy


def tested(work, plugin, *arguments, most=0):
    """Run pytest with one of the two plugins in the copy.

    It is given a name at least: a run of everything asks for coverage at its end.
    """
    paths = ["src", HERE, *filter(None, [os.environ.get("PYTHONPATH")])]
    there = {"MUTATION": str(work), "PYTHONPATH": os.pathsep.join(map(str, paths))}
    there |= {"OMP_NUM_THREADS": "1", "MUTATION_LONGEST": str(LONGEST)}
    there["MUTATION_MOST"] = str(most)
    if plugin == "_mutation_kill":
        there["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-n", "0", "-p", plugin]
    with open(work / f"{plugin}.log", "w", encoding="utf-8") as log:
        done = subprocess.run([*command, *arguments], cwd=work / "copy", stdout=log,
                              env=os.environ | there)  # fmt: skip
    if done.returncode > 1:  # 1: a test failed, which is then not asked
        raise SystemExit(f"pytest could not run: see {plugin}.log")


def cover(work):
    """Run the tests that are new since the last time, to see what they reach."""
    files = [x for part in PARTS for x in (ROOT / "tests").glob(part)]
    out = {f"test_{name}.py" for name in LEFT_OUT}
    path = work / "cover.json"
    since = path.stat().st_mtime if path.exists() else 0
    new = [x for x in files if x.name not in out and newest(x) > since]
    if new:
        names = sorted(str(x.relative_to(ROOT)) for x in new)
        tested(work, "_mutation_cover", *names)


def newest(path):
    """When a file, or any in a folder, was written last."""
    return max(x.stat().st_mtime for x in [path, *path.rglob("*.py")])
