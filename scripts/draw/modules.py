"""Finds the modules that draw: one for each figure, table and element of a page."""

import importlib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def paths(kind):
    """{name: path} of the modules of one kind: "figures", "tables" or "elements"."""
    return {path.stem: path for path in sorted((HERE / kind).glob("*/[!_]*.py"))}


def module(kind, name):
    """The module `name` of a kind, imported."""
    part = paths(kind)[name].parent.name
    return importlib.import_module(f"draw.{kind}.{part}.{name}")
