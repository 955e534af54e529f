"""The top rung over each peer: geometric mean over 20 cells, and the worst cell."""

from figures._bench import LONG, PLAIN, TOP, ratios, table

from tilewise.bench.cells import PASSES, geometric

SAY = {
    "en": {
        "head": ("over", "forward", "worst", "backward", "worst"),
        "plain": "plain Triton over {}", "causal": "causal", "comma": ", ",
    },
    "zh": {
        "head": ("对比", "前向", "最差", "反向", "最差"),
        "plain": "纯 Triton 对 {}", "causal": "因果", "comma": "，",
    },
}  # fmt: skip


def cells(way, kernel, other, say):
    """The mean ratio, and the smallest with the cell it is in."""
    found = ratios(way, kernel, other)
    if not found:
        return ["–", "–"]
    n, d, causal = worst = min(found, key=found.get)
    where = f"{n // 1024}k, $d$ = {d}" + (f", {say['causal']}" if causal else "")
    where = where.replace(", ", say["comma"])
    return [f"{geometric(found.values()):.2f}", f"{found[worst]:.2f}<br>{where}"]


def draw(lang):
    """A Markdown table; a worst cell is named by N and d."""
    say = SAY[lang]
    rows = []
    for other in ("cudnn", "fa4", "flash", "flex"):
        row = [LONG[other]]
        for way in PASSES:
            row += cells(way, TOP[way], other, say)
        rows.append(row)
    row = [say["plain"].format(LONG["flex"])]
    for way in PASSES:
        row += cells(way, PLAIN[way], "flex", say)
    return table(say["head"], [*rows, row])
