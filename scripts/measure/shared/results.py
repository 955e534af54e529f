"""What a measurement leaves: one file, with where, when and how it came about."""

import datetime
import hashlib
import json
import os
import platform
import sys
from pathlib import Path

import torch

from tilewise.bench.machine import machine, short

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("OUT", ROOT / "benchmarks/results"))
OURS = [ROOT / "scripts", ROOT / "src"]


def cpu():
    """The processor and the software, as far as memory and time depend on them."""
    info = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    names = {x.split(":")[1].strip() for x in info if x.startswith("model name")}
    return {
        "cpu": ", ".join(sorted(names)) or platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "page_bytes": os.sysconf("SC_PAGE_SIZE"),
        "os": platform.system(),
        "libc": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def sources(*more):
    """{file: SHA-256} of our modules that are imported, and of further files."""
    files = [getattr(x, "__file__", None) for x in list(sys.modules.values())]
    paths = {Path(x).resolve() for x in (*files, *more) if x}
    ours = sorted(x for x in paths if any(x.is_relative_to(y) for y in OURS))
    hashes = [hashlib.sha256(x.read_bytes()).hexdigest() for x in ours]
    return dict(zip([x.relative_to(ROOT).as_posix() for x in ours], hashes))


def write(name, method, results, about=None, options="", more=()):
    """Write <gpu>-<date>-<name>.json to benchmarks/results, or to $OUT.

    about: the machine, by default this GPU's; options: the command's; more: files that
    count among its sources and are not imported.
    """
    about, date = about or machine(), datetime.date.today().isoformat()
    kind = "gpu" if "gpu" in about else "cpu"
    script = Path(sys.modules["__main__"].__file__).resolve().relative_to(ROOT)
    text = {
        kind: about[kind],
        "date": date,
        "command": f"python {script.as_posix()} {options}".strip(),
        "method": " ".join(method.split()),
        "machine": about,
        "source_sha256": sources(*more),
        **results,
    }
    place = short(about["gpu"]) if kind == "gpu" else kind
    path = FOLDER / f"{place}-{date}-{name}.json"
    path.write_text(json.dumps(text, indent=1) + "\n", "utf-8")
    print(f"wrote {path.name}")
