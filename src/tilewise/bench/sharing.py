"""Measure the cells of `bench --share` and write the one file of their results."""

import contextlib
import importlib
import itertools
import platform
import time
from pathlib import Path
from typing import Any

import torch

import tilewise
from tilewise.bench import machine, run, share
from tilewise.bench.cells import DIMS, PASSES, cells, named
from tilewise.bench.share_file import MACHINE, READ, TIMED

SECONDS = 3  # of a cell and pass
ASKED = {
    "n": share.SIZES,
    "d": DIMS,
    "masks": (False, True),
    "passes": PASSES,
    "parts": ("speed",),
    "only": tuple(dict.fromkeys(itertools.chain(*share.KERNELS.values()))),
    "seconds": SECONDS,
    "flush": False,
}


def measure(out, say, progress=lambda done, total, text: None):
    """Check and time every cell; return (path, what is in the file)."""
    begun, options = time.monotonic(), ASKED | {"say": say}
    shapes = cells(options["n"], options["d"], options["masks"])
    run.compiled(shapes, options, lambda n, of: progress(n, of, "compile"))
    found, total = [], len(shapes) * len(PASSES)
    with torch.cuda.stream(torch.cuda.Stream()):  # the default one makes no graphs
        for shape, way in itertools.product(shapes, PASSES):
            found.append(one(shape, way, options))
            text = f"{way}, N {shape['n']}, d {shape['d']}"
            progress(len(found), total, text)
    data = file_of(found, time.monotonic() - begun)
    path = place(out, data["machine"]["gpu"], data["date"])
    path.parent.mkdir(parents=True, exist_ok=True)
    machine.save(path, data)
    return path, data


def one(shape, way, options):
    """A pass of a cell as it is in the file; left out where there is no room for it."""
    results: dict[str, list[Any]] = {"rows": [], "cells": []}
    asked = options | {"passes": (way,)}
    with contextlib.suppress(torch.OutOfMemoryError):
        run.speed([shape], asked, results, lambda text: None)
    if not results["cells"]:
        torch.cuda.empty_cache()
        return {"pass": way, **named(shape), "left_out": "out of memory"}
    (cell,) = results["cells"]
    return cell | {"rows": [shown(row) for row in results["rows"]]}


def shown(row):
    """What of a kernel's row is in the file: times and errors, or a reason."""
    if "ms" in row:
        return {"kernel": row["kernel"]} | {
            key: row[key] for key in (*TIMED, *READ) if key in row
        }
    return {"kernel": row["kernel"], "missing": reason(row)}


def reason(row):
    """Why a kernel was not timed, in words that are known: an error may name a path."""
    if "refused" in row:
        return "wrong"
    if "failed" in row:
        large = row["failed"].startswith("OutOfResources")  # Triton's, at the launch
        return "too little shared memory" if large else "failed"
    known = [x for x in share.REASONS if row["missing"].startswith(x)]
    return (known or ["not covered"])[0]


def file_of(found, seconds):
    """What is in the file: the machine, the cells, and what follows from them."""
    here = machine.machine()
    here["triton"] = importlib.import_module("triton").__version__
    here["python"] = platform.python_version()
    data = {
        "form": share.FORM,
        "version": tilewise.__version__,
        "commit": machine.commit(),
        "date": machine.today(),
        "command": share.COMMAND,
        "seconds": round(seconds),
        "machine": {key: here[key] for key in MACHINE},
        "cells": found,
        "ratios": share.ratios(found),
    }
    return data | {"sha256": share.digest(data)}


def place(out, gpu, date):
    """The file to write: out if it ends in .json, else in the folder out or here."""
    if str(out).endswith(".json"):
        return Path(out)
    return Path(out or ".") / f"{machine.short(gpu)}-{date}-share.json"
