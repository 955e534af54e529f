"""The kernels for packed documents without a GPU, in Triton's interpreter."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)
ROOT = Path(__file__).resolve().parents[2]
TEXT = Path(__file__).with_name("_interpreted_varlen.py").read_text("utf-8")
CASES = re.findall(r'^    "([\w -]+)": \(\[', TEXT, re.M)
CHECKS = [x for x in re.findall(r"^def check_(\w+)", TEXT, re.M) if x != "case"]


@pytest.fixture(scope="module")
def said():
    """What the child printed: check → "ok", or what went wrong."""
    command = [sys.executable, "-m", "tests.kernels._interpreted_varlen"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("label", [*CASES, *CHECKS])
def test_in_the_interpreter(said, label):
    assert said[label] == "ok"


def test_no_check_is_forgotten(said):
    assert len(said) == len(CASES) + len(CHECKS) >= 15
