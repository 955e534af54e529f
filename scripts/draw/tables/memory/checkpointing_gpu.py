"""Peak memory and time of a step by policy on an H200, measured beside counted."""

import json

from draw.figures._bench import newest, table
from draw.tables._checkpointing import WAYS, name

N, LONG, GIB = 16384, 65536, 2**30
SAY = {
    "en": ["$N$ = {n}", "GiB: counted", "measured", "FLOPs", "time",
           "{long}k: FLOPs", "time"],
    "zh": ["$N$ = {n}", "计数（GiB）", "实测（GiB）", "FLOP", "时间",
           "{long}k：FLOP", "时间"],
}
LARGE = {"en": "too large", "zh": "放不下"}


def found():
    """The newest file of checkpointing measured on a GPU."""
    return json.loads(newest("checkpointing").read_text("utf-8"))


def rows(n):
    """{(attention, policy): row}."""
    chosen = (row for row in found()["rows"] if row["n"] == n)
    return {(row["attention"], row["policy"]): row for row in chosen}


def counted(row):
    """The bytes that are there when the first block's backward pass begins."""
    layers = found()["model"]["layers"]
    return row["kept_bytes"] * (layers - 1) // layers + row["inside_bytes"]


def ratios(row, base):
    """(FLOPs, time) relative to those of base; time None where it did not fit."""
    flops = sum(row["flops"].values()) / sum(base["flops"].values())
    return flops, row["ms"]["median"] / base["ms"]["median"] if "ms" in row else None


def cells(lang, way):
    """One row: what was counted and measured at N, then FLOPs and time at both N."""
    row, long = rows(N)[way], rows(LONG)[way]
    peak = row.get("peak_bytes")
    made = [f"{counted(row) / GIB:.1f}", f"{peak / GIB:.1f}" if peak else LARGE[lang]]
    for n, one in ((N, row), (LONG, long)):
        flops, time = ratios(one, rows(n)["ours", "none"])
        made += [f"{flops:.2f}", "–" if time is None else f"{time:.2f}"]
    return made


def draw(lang):
    """A Markdown table for two N."""
    head = [x.format(n=f"{N:,}", long=LONG // 1024) for x in SAY[lang]]
    head = [x.replace("$N$", "\\(N\\)") for x in head]
    head[0] += " { .tw-above }"  # on phones
    return table(head, [[name(lang, *way), *cells(lang, way)] for way in WAYS])
