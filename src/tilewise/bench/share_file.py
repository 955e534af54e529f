"""The file of `bench --share`, and a reader that takes nothing else.

It has fields of known forms alone, so that nothing personal gets in, and what follows
from other numbers in it must do so. Plain Python.
"""

import json
import math
import re
from typing import Any

from tilewise.bench.cells import RESULTS, flops
from tilewise.bench.share import (
    COMMAND,
    FORM,
    KERNELS,
    REASONS,
    digest,
    expected,
    ratios,
)

LARGEST = 500_000  # characters of a file
FASTEST = 4 * 4096  # operations of an SM in a cycle: four times a Hopper's
CLOCK = r"\d{1,5} MHz"
VERSION = r"\d+(\.\d+){1,3}[A-Za-z0-9.+_-]{0,40}"
MACHINE = {  # field -> its form; "?" before it: may be null
    "gpu": r"[A-Za-z0-9][A-Za-z0-9 ()+.-]{1,63}",
    "compute_capability": r"\d{1,2}\.\d",
    "sms": int,
    "memory_bytes": int,
    "l2_bytes": int,
    "power_limit": r"?\d{1,5}(\.\d{1,3})? W",
    "max_sm_clock": "?" + CLOCK,
    "max_memory_clock": "?" + CLOCK,
    "driver": "?" + VERSION,
    "cuda": VERSION,
    "torch": VERSION,
    "cudnn": "?int",
    "triton": VERSION,
    "python": VERSION,
}
TOP = {
    "form": int,
    "version": VERSION,
    "commit": "?[0-9a-f]{40}(-dirty)?",
    "date": r"\d{4}-\d\d-\d\d",
    "command": re.escape(COMMAND),
    "seconds": float,
    "machine": dict,
    "cells": list,
    "ratios": dict,
    "sha256": "[0-9a-f]{64}",
}
TIMED: dict[str, Any] = {"ms": float, "min": float, "max": float, "tflops": float}
TIMED |= {"rounds": int, "calls": int, "graph": bool, "error": dict}
READ = {"watts": float, "sm_clock_mhz": float}  # where the driver tells
LIMITS = {"plain": dict, "allowed": dict, "rows": list}


class Unfit(ValueError):
    """A file that is not as `bench --share` writes it: where, and in which way.

    code: "json", "fields", "value", "follows" or "changed".
    """

    def __init__(self, code, where=""):
        super().__init__(f"{code}: {where}")
        self.code, self.where = code, where


def read(text):
    """What a file holds, or Unfit."""
    try:
        if len(text) > LARGEST:
            raise ValueError
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Unfit("json") from None
    fields(data, TOP, "")
    fields(data["machine"], MACHINE, "machine")
    must(data["form"] == FORM, "value", "form")
    wanted = expected()
    must(len(data["cells"]) == len(wanted), "fields", "cells")
    for n, (cell, shape) in enumerate(zip(data["cells"], wanted, strict=True)):
        one_cell(cell, shape, f"cells[{n}]", data["machine"])
    must(data["sha256"] == digest(data), "changed", "")
    must(same(data["ratios"], ratios(data["cells"])), "follows", "ratios")
    return data


def must(holds, code, where):
    if not holds:
        raise Unfit(code, where)


def fields(data, forms, where, maybe=()):
    """Raise Unfit unless data has these fields alone, each of its form."""
    must(isinstance(data, dict), "value", where or "file")
    extra = sorted((data.keys() ^ forms.keys()) - {*maybe})
    must(not extra, "fields", ".".join(filter(None, (where, *extra[:1]))))
    for name, form in (forms | {k: READ[k] for k in maybe if k in data}).items():
        good = fits(data[name], form)
        must(good, "value", ".".join(filter(None, (where, name))))


def fits(value, form):
    """Whether a value is of a form: a type, or a pattern of text; ? allows None."""
    if isinstance(form, str) and form[0] == "?":
        form = form[1:]
        if value is None:
            return True
    form = int if form == "int" else form
    if isinstance(form, str):
        return isinstance(value, str) and bool(re.fullmatch(form, value, re.A))
    if form is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and 0 <= value < math.inf
    if form is int:
        return type(value) is int and 0 <= value < 2**60
    return isinstance(value, form)


def one_cell(cell, shape, where, machine):
    """Raise Unfit unless a cell is of this shape, and its rows are right."""
    shaped = {key: type(value) for key, value in shape.items()} | {"pass": "[a-z]+"}
    if isinstance(cell, dict) and "left_out" in cell:
        fields(cell, shaped | {"left_out": "out of memory"}, where)
        return must(shape.items() <= cell.items(), "value", where)
    fields(cell, shaped | LIMITS, where, READ)
    must(shape.items() <= cell.items(), "value", where)
    names = dict.fromkeys(RESULTS[shape["pass"]], float)
    fields(cell["plain"], names, f"{where}.plain")
    fields(cell["allowed"], names, f"{where}.allowed")
    twice = {name: 2 * size for name, size in cell["plain"].items()}
    must(same(cell["allowed"], twice), "follows", f"{where}.allowed")
    kernels = [r.get("kernel") if isinstance(r, dict) else None for r in cell["rows"]]
    must(kernels == [*KERNELS[shape["pass"]]], "fields", f"{where}.rows")
    for row in cell["rows"]:
        one_row(row, cell, names, f"{where}.{row['kernel']}", machine)


def one_row(row, cell, names, where, machine):
    """Raise Unfit unless a kernel was timed as its numbers say, or has a reason."""
    if "missing" in row:
        fields(row, {"kernel": str, "missing": "|".join(REASONS)}, where)
        return
    fields(row, {"kernel": str} | TIMED, where, READ)
    fields(row["error"], names, f"{where}.error")
    right = all(row["error"][x] <= cell["allowed"][x] for x in names)
    must(right, "follows", f"{where}.error")
    must(0 < row["min"] <= row["ms"] <= row["max"], "follows", f"{where}.ms")
    speed = flops(cell | {"n_k": cell["n"]}, cell["pass"]) / row["ms"] / 1e9
    must(math.isclose(row["tflops"], speed), "follows", f"{where}.tflops")
    hertz = 1e6 * int((machine["max_sm_clock"] or "5000 MHz").split()[0])
    roof = machine["sms"] * FASTEST * hertz / 1e12
    must(row["tflops"] <= roof, "follows", f"{where}.tflops")


def same(a, b):
    """Whether two nested dicts hold the same, numbers to nine digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b)
    return a is b
