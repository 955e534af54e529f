"""The public functions over kernels, without a GPU: in Triton's interpreter."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)
ROOT = Path(__file__).resolve().parents[2]
CHILD = Path(__file__).with_name("_interpreted_ops.py")
CHECKS = re.findall(r"^def check_(\w+)", CHILD.read_text("utf-8"), re.M)


@pytest.fixture(scope="module")
def said():
    """What the child printed: check → "ok", or what went wrong."""
    command = [sys.executable, "-m", "tests.kernels._interpreted_ops"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("check", CHECKS)
def test_in_the_interpreter(said, check):
    assert said[check] == "ok"
