"""What the doctor finds out: it reads metadata, and imports in other processes.

Heavy packages are imported side by side, each in a process of its own with a limit of
time, so that one that crashes or never comes back takes nothing with it.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tilewise.cli.doctor import packages

SECONDS = 30  # for an import
QUERY = "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"


def examine(shapes, dtype, causal):
    """All facts about this environment, as JSON could hold them."""
    path = list(dict.fromkeys([os.getcwd(), *filter(None, sys.path)]))
    seen = packages.look(path)
    asked = {"path": path, "shapes": shapes, "dtype": dtype, "causal": causal}
    with ThreadPoolExecutor(len(seen) + 1) as pool:
        card = pool.submit(nvidia_smi)
        ask = [partial(ask_child, asked | {"module": x["module"]}) for x in seen]
        for facts, answer in zip(seen, pool.map(lambda f: f(), ask), strict=True):
            facts["import"] = answer
    torch = next((x["import"] for x in seen if x["module"] == "torch"), None)
    answered = torch and "version" in torch
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "linux": sys.platform == "linux",
        "compiler": compiler(),
        "card": card.result(),
        "torch": torch if answered else None,
        "packages": seen,
    }


def compiler():
    """The C compiler that Triton would use, or None."""
    names = (os.environ.get("CC"), "gcc", "clang", "cc", "cl")
    return next((x for x in names if x and shutil.which(x)), None)


def ask_child(asked):
    """What child.py says: {"error"?, "said", …}, with "ended" or "slow" in place."""
    text = (Path(__file__).parent / "child.py").read_text("utf-8")
    command = [sys.executable, "-c", text, json.dumps(asked)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        try:
            status = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                timeout=SECONDS,
            ).returncode
        except subprocess.TimeoutExpired:
            return {"slow": SECONDS, "said": []}
        out.seek(0)
        errors.seek(0)
        printed = errors.read(20_000).decode("utf-8", "replace")
        try:
            answer = json.loads(out.read())
        except ValueError:
            return {"ended": status, "said": [printed[-2000:]]}
    answer["said"].append(printed)
    return answer


def nvidia_smi():
    """{"gpus": [{"name", "driver", "capability"}]} or {"error"}; None without one."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return None
    try:
        done = subprocess.run(
            [command, *QUERY], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    rows = [line.split(", ") for line in done.stdout.strip().splitlines()]
    if done.returncode or not rows or any(len(row) != 3 for row in rows):
        return {"error": (done.stdout + done.stderr).strip()[:300]}
    cards = []
    for name, driver, capability in rows:
        numbers = [int(x) for x in capability.split(".") if x.isdecimal()]
        known = numbers if len(numbers) == 2 else None
        cards.append({"name": name, "driver": driver, "capability": known})
    return {"gpus": cards}
