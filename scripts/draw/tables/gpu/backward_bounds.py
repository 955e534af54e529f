"""The Gluon backward kernel with work left out: how much faster, by d and by N."""

from draw.figures._plot import results

from tilewise.bench.cells import DIMS, geometric

FILE, LENGTHS = "h200-2026-11-23-backward-bounds", (1024, 4096, 16384)
SAY = {
    "en": {
        "head": "what is left out",
        "no_add": "the additions to $\\mathrm dQ$",
        "main_only": "the two small kernels",
        "main_no_add": "both",
        "base2": "nothing: the same kernel, timed again",
    },
    "zh": {
        "head": "去掉什么",
        "no_add": "$\\mathrm dQ$ 的累加",
        "main_only": "两个小内核",
        "main_no_add": "两者",
        "base2": "什么也不去掉：同一个内核再测一次",
    },
}


def speed(variant, **cells):
    """The geometric mean of a variant's speed over the kernel's, in these cells."""
    wanted = {"variant": variant, **cells}.items()
    chosen = [row for row in results(FILE)["rows"] if wanted <= row.items()]
    return f"{geometric([row['base_ms'] / row['ms'] for row in chosen]):.2f}"


def draw(lang):
    """A Markdown table: a line for what is left out, means over the other axes."""
    (_, head), *names = SAY[lang].items()
    columns = [{"d": d} for d in DIMS] + [{"n": n} for n in LENGTHS]
    marks = [f"$d$ = {d}" for d in DIMS] + [f"$N$ = {n // 1024}k" for n in LENGTHS]
    rows = [f"| {head} | {' | '.join(marks)} |", "|---" + "|--:" * len(columns) + "|"]
    for variant, words in names:
        cells = " | ".join(speed(variant, **x) for x in columns)
        rows.append(f"| {words} | {cells} |")
    return "\n".join(rows)
