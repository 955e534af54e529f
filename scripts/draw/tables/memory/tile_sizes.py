"""Plain Triton's tiles at N = 4,096: time over the fastest, the better of two warps."""

from itertools import product

from draw.figures._bench import table
from draw.tables._practices import rows

from tilewise.bench.cells import DIMS

ROWS, COLS = (32, 64, 128), (32, 64, 128)


def times(d):
    """{(rows, columns, warps): ms} of what ran."""
    found = {}
    for row in rows("tiles", d=d):
        size, warps = row["what"].removesuffix(" warps").split(", ")
        if "ms" in row:
            found[(*map(int, size.split(" x ")), int(warps))] = row["ms"]
    return found


def best(d):
    """{(rows, columns): ms} with 4 or 8 warps, whichever is faster."""
    found = times(d)
    return {
        (r, c): min(found[r, c, warps] for warps in (4, 8))
        for r, c in product(ROWS, COLS)
    }


def draw(lang):
    """A Markdown table, the same in both languages; the fastest of a d is bold."""
    lines = []
    for d in DIMS:
        found = best(d)
        least = min(found.values())
        for r in ROWS:
            ratios = [f"{found[r, c] / least:.2f}" for c in COLS]
            cells = [f"**{x}**" if x == "1.00" else x for x in ratios]
            lines.append([f"{d}", f"{r}", *cells])
    return table(["$d$", "$B_r$", *(f"$B_c$ = {c}" for c in COLS)], lines)
