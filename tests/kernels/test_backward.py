"""The backward rungs without a GPU, in Triton's interpreter, in a child process."""

import subprocess
import sys
from pathlib import Path

import pytest

from ._backward import CASES, RUNGS

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)
ROOT = Path(__file__).resolve().parents[2]
CHECKS = "bad_input", "default_tiles", "deterministic", "large_scores"
CHECKS += "rows_that_overlap", "rows_without_keys", "strides"
LABELS = [f"{case} {dtype}" for case in CASES for dtype in ("float32", "float16")]


@pytest.fixture(scope="module")
def said():
    """What the child printed: label → "ok", or what went wrong."""
    command = [sys.executable, "-m", "tests.kernels._interpreted_backward"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("label", [*LABELS, *CHECKS])
@pytest.mark.parametrize("name", RUNGS)
def test_in_the_interpreter(said, name, label):
    assert said[f"{name} {label}"] == "ok"


def test_no_check_is_forgotten(said):
    assert len(said) == len(RUNGS) * (len(LABELS) + len(CHECKS))
