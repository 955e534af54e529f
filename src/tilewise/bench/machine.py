"""Where something was measured: the GPU, the driver, the versions, the commit."""

import datetime
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import torch

SOURCE = Path(__file__).resolve().parent.parent  # src/tilewise
ROOT = SOURCE.parent.parent
ROOMS = ("kernels", "attention", "bench")  # the rungs, their callers, what times them
PACKAGES = {"triton": "triton", "flash_attn_4": "flash-attn-4", "fa3_fwd": "fa3-fwd"}
LISTS = {  # what each part leaves in the file
    "speed": ("names", "rows", "cells"),
    "memory": ("memory",),
    "unaligned": ("unaligned",),
    "host": ("host",),
}
FIELDS = "driver_version,power.limit,clocks.max.sm,clocks.max.mem"


def driver():
    """What the driver says of FIELDS; None where it says nothing."""
    query = ["nvidia-smi", "--query-gpu=" + FIELDS, "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return [None] * 4
    told = done.stdout.splitlines()[0].split(", ")
    return [None if x.startswith("[") else x for x in told]  # [N/A] and the like


def machine():
    """The GPU, its limits as the driver reports them, and the software's versions."""
    gpu: Any = torch.cuda.get_device_properties(0)
    version, power, sm, memory = driver()
    return {
        "gpu": gpu.name,
        "compute_capability": f"{gpu.major}.{gpu.minor}",
        "sms": gpu.multi_processor_count,
        "memory_bytes": gpu.total_memory,
        "l2_bytes": gpu.L2_cache_size,
        "shared_memory_per_sm_bytes": gpu.shared_memory_per_multiprocessor,
        "shared_memory_per_block_bytes": gpu.shared_memory_per_block_optin,
        "registers_per_sm": gpu.regs_per_multiprocessor,
        "threads_per_sm": gpu.max_threads_per_multi_processor,
        "power_limit": power,
        "max_sm_clock": sm,
        "max_memory_clock": memory,
        "driver": version,
        "cuda": torch.version.cuda,
        "torch": torch.__version__,
        "cudnn": torch.backends.cudnn.version(),
    }


def packages():
    """Versions of what else takes part, None where it is not installed."""
    versions: dict[str, str | None] = {}
    for key, name in PACKAGES.items():
        try:
            versions[key] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[key] = None
    return versions


def commit():
    """The commit, "-dirty" after it if src differs from it; None if unknown.

    Where there is no git, TILEWISE_COMMIT may say it.
    """

    def ask(*words):
        command = ["git", "-C", str(ROOT), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        known = ask("rev-parse", "HEAD")
        dirty = known and ask("status", "--porcelain", "--", "src")
    except (OSError, subprocess.TimeoutExpired):
        known = ""
    if not known:
        return os.environ.get("TILEWISE_COMMIT")
    return known + ("-dirty" if dirty else "")


def fingerprints():
    """{file: SHA-256} of the rungs, of what calls them, and of the bench."""
    files = [path for room in ROOMS for path in (SOURCE / room).rglob("*.py")]
    return {
        path.relative_to(SOURCE).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in sorted(files)
    }


def today():
    return datetime.date.today().isoformat()


def short(gpu):
    """The GPU in a file's name: "NVIDIA H100 80GB HBM3" is h100-80gb-hbm3."""
    return "-".join(re.findall("[a-z0-9]+", gpu.lower().removeprefix("nvidia")))


def place(out, gpu, date):
    """The file to write: out if it ends in .json, else in the folder out.

    Its name is then <gpu>-<date>-attention.json. out None is benchmarks/results of a
    clone, or else the current folder.
    """
    if out is None:
        here = ROOT / "benchmarks/results"
        out = here if here.is_dir() else "."
    if str(out).endswith(".json"):
        return Path(out)
    return Path(out) / f"{short(gpu)}-{date}-attention.json"


def keep(path, results, parts):
    """Take over from the file at path what is not in parts, if all else is the same.

    So one file can be measured part by part, with the same code on the same machine. A
    part that was interrupted is taken over too, and stays out of "finished".
    """
    old = json.loads(path.read_text("utf-8")) if path.exists() else {}
    if any(old.get(key) != results[key] for key in ("machine", "source_sha256")):
        return
    for part, keys in LISTS.items():
        if part not in parts:
            results |= {key: old[key] for key in keys}
            results["finished"] += [part] * (part in old["finished"])
    commands = [*old["command"].split("; "), results["command"]]
    results["command"] = "; ".join(dict.fromkeys(commands))


def complete(results):
    """Whether every part that has rows was measured to its end."""
    begun = {part for part, keys in LISTS.items() if results[keys[-1]]}
    return begun <= {*results["finished"]}


def save(path, results):
    """Write JSON so that a reader never sees half a file."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    part.replace(path)
