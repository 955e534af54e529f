"""Numbers in the prose of the quickstart: lines of the listing, memory on a CPU."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WHATS = {"ours": "flash_attention", "standard": "standard", "pytorch": "pytorch"}
N = 8192


def numbers():
    """{name: text}: how long the listing is, and MB on top of the inputs."""
    listing = (ROOT / "src/tilewise/examples/quickstart.py").read_text("utf-8")
    newest = max(ROOT.glob("benchmarks/results/cpu-*-memory.json"))
    rows = json.loads(newest.read_text("utf-8"))["rows"]
    peak = {x["what"]: x["peak_bytes"] / 1e6 for x in rows if x["n"] == N}
    memory = {f"{name}_mb": f"{peak[what]:.0f}" for name, what in WHATS.items()}
    return {"lines": f"{len(listing.splitlines())}"} | memory
