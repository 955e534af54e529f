"""How long the backward pass takes, in forward passes: both Gluon rungs on an H200."""

from draw.figures._bench import TOP, bench, table

from tilewise.bench.cells import DIMS, SIZES

SAY = {
    "en": {False: "full", True: "causal"},
    "zh": {False: "无掩码", True: "因果"},
}
HEAD = {
    "en": ("dim $d$ { .tw-above }", "mask"),
    "zh": ("维度 $d$ { .tw-above }", "掩码"),
}


def times(way):
    """{(n, d, causal): milliseconds} of the Gluon rung of a pass."""
    rows = (x for x in bench()["rows"] if "ms" in x)
    return {
        (x["n"], x["d"], x["causal"]): x["ms"]
        for x in rows
        if (x["pass"], x["kernel"]) == (way, TOP[way])
    }


def draw(lang):
    """A Markdown table: backward's time over forward's, a column for each N."""
    there, back, rows = times("forward"), times("backward"), []
    for d in DIMS:
        for causal, words in SAY[lang].items():
            cells = [(n, d, causal) for n in SIZES]
            rows.append([f"{d}", words, *(f"{back[x] / there[x]:.1f}" for x in cells)])
    return table([*HEAD[lang], *(f"{n // 1024}k" for n in SIZES)], rows, left=2)
