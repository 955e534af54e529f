"""The top rung of a pass over each peer: mean over 20 cells, and the worst cell."""

from draw.figures._bench import COLUMNS, LONG, PLAIN, TOP, ratios, table

from tilewise.bench.cells import geometric

SAY = {
    "en": {
        "head": ("over", "mean", "worst", "in the cell"),
        "plain": "plain Triton over {}", "causal": ", causal",
    },
    "zh": {
        "head": ("对比", "平均", "最差", "出现在"),
        "plain": "纯 Triton 对 {}", "causal": "，因果",
    },
}


def cells(way, kernel, other, say):
    """The geometric mean of the ratios, the smallest, and the cell it is in."""
    found = ratios(way, kernel, other)
    if not found:
        return ["–", "–", "–"]
    n, d, causal = worst = min(found, key=found.get)
    where = f"{n // 1024}k, $d$ = {d}".replace(
        ", ", say["causal"][:1].replace(",", ", ")
    )
    where += say["causal"] if causal else ""
    return [f"{geometric(found.values()):.2f}", f"{found[worst]:.2f}", where]


def draw(way, lang):
    """A Markdown table; the last row is the best rung that needs no Gluon."""
    say = SAY[lang]
    rows = [
        [LONG[other], *cells(way, TOP[way], other, say)]
        for other in COLUMNS[way]
    ]
    last = [say["plain"].format(LONG["flex"]), *cells(way, PLAIN[way], "flex", say)]
    return table(say["head"], [*rows, last])
