"""Ruff finds nothing and would write every file as it is, by pyproject.toml."""

import subprocess
import sys

import pytest
from repository import ROOT


@pytest.mark.parametrize("ask", [["check"], ["format", "--check"]], ids=lambda x: x[0])
def test_ruff(ask):
    command = [sys.executable, "-m", "ruff", *ask, "--no-cache", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
