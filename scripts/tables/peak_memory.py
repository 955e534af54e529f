"""Memory on top of inputs and results, against N, in one forward pass and in a step."""

from figures._bench import SHORT, bench, table

from tilewise.bench.cells import SIZES

D, MIB = 128, 2**20
SAY = {
    "en": {
        "head": ("$N$", "score matrix", "forward, ours", "FA2", "math",
                 "step, ours", "FA2", "math"),
        "none": "too large",
    },
    "zh": {
        "head": ("$N$", "分数矩阵", "前向，本书", "FA2", "math", "一步，本书", "FA2",
                 "math"),
        "none": "放不下",
    },
}  # fmt: skip
KERNELS = ("flash_attention", "flash", "math")
assert SHORT["flash"] == "FA2"


def extra(row):
    """MiB beyond the inputs and the results, None where it did not fit."""
    if "peak_bytes" not in row:
        return None
    return max(0, row["peak_bytes"] - row["result_bytes"]) / MIB


def draw(lang):
    """A Markdown table in MiB, all heads together, d = 128, no mask."""
    say = SAY[lang]
    rows = {
        (r["kernel"], r["pass"], r["n"]): r for r in bench()["memory"] if r["d"] == D
    }
    lines = []
    for n in SIZES:
        found = [extra(rows[k, p, n]) for p in ("forward", "step") for k in KERNELS]
        scores = rows["math", "forward", n]["scores_bytes"] / MIB
        cells = [say["none"] if x is None else f"{x:,.0f}" for x in found]
        lines.append([f"{n:,}", f"{scores:,.0f}", *cells])
    return table(say["head"], lines, 0)
