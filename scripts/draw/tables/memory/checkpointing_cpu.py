"""Peak memory and CPU time of a step by policy, measured beside counted."""

from draw.figures._bench import table
from draw.figures._plot import RESULTS, results
from draw.figures._svg import count
from draw.tables._checkpointing import WAYS, name

N, MIB = 2048, 2**20
SAY = {
    "en": ["$N$ = {n}", "counted, MiB", "measured, MiB", "FLOPs", "time"],
    "zh": ["$N$ = {n}", "计数（MiB）", "实测（MiB）", "FLOP", "时间"],
}


def found():
    """The newest file of checkpointing measured on a CPU."""
    return results(sorted(RESULTS.glob("cpu-*-checkpointing.json"))[-1].stem)


def cells(row, base):
    """MiB counted, MiB measured, FLOPs and time relative to those of base."""
    layers = found()["model"]["layers"]
    others = row["kept_bytes"] * (layers - 1) // layers  # one block is whole
    flops, seconds = (
        [sum(x["flops"].values()) for x in (row, base)],
        [x["seconds"]["median"] for x in (row, base)],
    )
    peak = row["peak_bytes"]["median"] / MIB
    counted = (others + row["inside_bytes"]) / MIB
    return counted, peak, flops[0] / flops[1], seconds[0] / seconds[1]


def measured(n=N):
    """{(attention, policy): cells}."""
    rows = {(r["attention"], r["policy"]): r for r in found()["rows"] if r["n"] == n}
    return {way: cells(rows[way], rows["ours", "none"]) for way in WAYS}


def draw(lang):
    """A Markdown table for one N."""
    lines = []
    for way, (counted, peak, flops, seconds) in measured().items():
        ratios = [f"{flops:.2f}", f"{seconds:.2f}"]
        lines.append([name(lang, *way), f"{counted:.0f}", f"{peak:.0f}", *ratios])
    return table(
        [x.replace("$N$", "\\(N\\)").format(n=count(N)) for x in SAY[lang]], lines
    )
