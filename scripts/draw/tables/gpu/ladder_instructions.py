"""Instructions that a score costs in the inner loops of the rungs, from their SASS."""

from draw.figures._plot import results
from draw.tables._rungs import NAMES, RUNGS, tile

SHOWN = [("fa2_order", 0), ("exp2", 0), ("causal", 0), ("causal", 1)]
SHOWN += [("descriptors", 0), ("gluon_forward", 0)]
GROUPS = (("FMUL", "FFMA"), ("ISETP", "FSEL", "SEL"), ("MUFU",))
SAY = {
    "en": {
        "head": (
            "inner loop",
            "multiply",
            "mask",
            "power",
            "all, $d$ = 64",
            "$d$ = 128",
        ),
        "masked": "skipping, masked",
    },
    "zh": {
        "head": ("内层循环", "乘法", "掩码", "指数", "全部，$d$ = 64", "$d$ = 128"),
        "masked": "跳过空块，带掩码",
    },
}


def loop(rung, n, d, whose=None):
    """The row of a rung's n-th loop, with its own tile or that of another rung."""
    own = whose or rung
    for row in results("cpu-2026-11-30-loops")["rows"]:
        same = own not in RUNGS or row["tile"] == [*tile(own, d)[:2]]
        if same and (row["rung"], row["loop"], row["d"]) == (rung, n, d):
            return row
    raise ValueError(f"no loop {n} of {rung} for d = {d}")


def per_score(row, names=None):
    """Instructions for each score: those of the names, or all of them."""
    found = row["instructions"]
    if names is None:
        names = [x for x in found if "." not in x]  # MUFU.EX2 is among MUFU
    return sum(found.get(x, 0) for x in names) / row["scores"]


def draw(lang):
    """A Markdown table; the groups are those of d = 64."""
    say = SAY[lang]
    lines = [f"| {' | '.join(say['head'])} |", "|---" + "|--:" * 5 + "|"]
    for rung, n in SHOWN:
        name = say["masked"] if n else NAMES[lang][rung]
        cells = [per_score(loop(rung, n, 64), names) for names in GROUPS]
        cells += [per_score(loop(rung, n, d)) for d in (64, 128)]
        lines.append(f"| {name} | {' | '.join(f'{x:.1f}' for x in cells)} |")
    return "\n".join(lines)
