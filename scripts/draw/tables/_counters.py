"""The counters of an H200 beside what the ledger and the cache model say."""

import functools
import json
import statistics
from pathlib import Path

from draw import fresh

from tilewise.ledger import cache, ceil_div, in_bytes, standard_forward
from tilewise.ledger.cache import dram

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "benchmarks/results/h200-2026-11-20-counters.json"
DATA = json.loads(RESULTS.read_text("utf-8"))
SHOWN = [  # of the rows with batch 64, heads 16, N 1024: order, B_r, B_c, warps
    ("standard", None, None, None),
    ("kv-outer", 64, 64, 4),
    ("kv-outer", 64, 128, 4),
    ("kv-outer", 64, 256, 8),
    ("q-outer", 64, 64, 4),
    ("q-outer", 128, 64, 8),
]


def row(what, block_rows=None, block_cols=None, warps=None, **shape):
    """The measured row of one kernel; shape is batch, heads and n."""
    how = {"what": what, "block_rows": block_rows, "block_cols": block_cols}
    how |= {"warps": warps} | (shape or {"batch": 64, "heads": 16, "n": 1024})
    rows = DATA["rows"]
    return next(x for x in rows if all(x.get(key) == how[key] for key in how))


def measured(found):
    """Bytes that reached L2 and DRAM, what was written back later included: medians."""
    l2 = zip(found["l2_read"], found["l2_write"], strict=True)
    parts = ("dram_read", "dram_write", "dram_write_after")
    return [
        statistics.median(sum(x) for x in runs)
        for runs in (l2, zip(*(found[part] for part in parts), strict=True))
    ]


@functools.cache
def bounds(*size, **how):
    """Those of the cache model: seconds a kernel, which the tests ask for too."""
    known = ["bounds", size, how]
    return tuple(fresh.once(known, lambda: cache.bounds(*size, **how)))


def counted(found):
    """Bytes asked for by count, and (least, most) of them predicted to reach DRAM.

    A wave of programs, as many as the GPU runs at once, stands for all of them.
    """
    heads, n, d = found["batch"] * found["heads"], found["n"], found["d"]
    if found["what"] == "standard":  # S does not fit L2, so all of it passes through
        cost = standard_forward(n, d)
        scaling = 2 * n * n  # a kernel of its own reads S and writes τ S
        asked = in_bytes(heads * (cost["reads"] + cost["writes"] + scaling), "bf16")
        return asked, (asked, asked)
    side = found["programs_per_sm"] * DATA["machine"]["sms"]
    parts = ceil_div(n, found["block_rows"]) if found["what"] == "q-outer" else 1
    wave = min(heads, ceil_div(side, parts))
    size = (n, d, found["block_rows"], found["block_cols"])
    how = {"order": found["what"], "heads": wave, "side": side}
    limits = bounds(*size, **how, capacity=DATA["machine"]["l2_bytes"])
    asked = dram(*size, order=found["what"], heads=1, side=1, capacity=1)["asked"]
    return asked * heads, tuple(x * heads / wave for x in limits)


@functools.cache
def shown():
    """(what, B_r, B_c, asked, L2, DRAM, least, most) of each kernel of SHOWN, in GB."""
    out = []
    for kernel in SHOWN:
        found = row(*kernel)
        asked, limits = counted(found)
        sizes = [x / 1e9 for x in (asked, *measured(found), *limits)]
        out.append((*kernel[:3], *sizes))
    return out
