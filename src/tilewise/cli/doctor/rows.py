"""The table of findings, and what its rows may name."""

import tomllib
from functools import cache
from pathlib import Path


@cache
def table():
    """The contents of findings.toml: {"finding": rows, "calls": recommendations}."""
    path = Path(__file__).parent / "findings.toml"
    return tomllib.loads(path.read_text("utf-8"))


def row(key):
    """The row of a finding."""
    return next(x for x in table()["finding"] if x["id"] == key)


def about(package):
    """What the sentences about a package may name, besides what an error says."""
    label = package["label"] or {}
    return {
        "module": package["module"],
        "file": package["found"],
        "foreign": package["foreign"],
        "label": " ".join(f"{key} {value}" for key, value in label.items()),
    }


def plain(torch):
    """Whether this PyTorch was built for the CPU alone."""
    return torch["cuda"] is None and torch["hip"] is None
