"""Counts the lines of the package that run, for _covered.py, in every process."""

import contextlib
import os
import sys
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parent.parent
KEPT = "TILEWISE_COVERED"  # names the folder of what was counted


def counter():
    """What counts lines, into a file of its own."""
    return coverage.Coverage(
        data_file=Path(os.environ[KEPT], "lines"), data_suffix=True,
        config_file=ROOT / "pyproject.toml", include=[f"{ROOT}/src/tilewise/*"],
    )  # fmt: skip


def python():
    """How a program starts whose lines are all to be counted, until it ends by itself.

    The import of PyTorch takes twice as long then.
    """
    if KEPT not in os.environ:
        return [sys.executable, "-W", "error"]
    given = {"rcfile": ROOT / "pyproject.toml", "include": f"{ROOT}/src/tilewise/*"}
    given["data-file"] = Path(os.environ[KEPT], "lines")
    options = [f"--{name}={value}" for name, value in given.items()]
    return [sys.executable, "-W", "error", "-m", "coverage", "run", "-p", *options]


@contextlib.contextmanager
def counted(really=True):
    """Count what runs within, in a program that a test starts; nothing in other runs.

    A few cases are enough for that, and the others keep their speed.
    """
    if not really or KEPT not in os.environ:
        yield
        return
    lines = counter()
    lines.start()
    yield
    lines.stop()
    lines.save()
