"""What following a rule of thumb does to the time, from results on one H200.

TIMES gives for each rule the times after it over those before, one for each cell in
which both were measured: below 1 the rule pays.
"""

from functools import cache
from itertools import product

from draw.figures._bench import TOP, bench, newest
from draw.figures._plot import results
from draw.tables import _order as one_order
from draw.tables import _practices as practices

from tilewise.bench.cells import DIMS, SIZES, geometric

CELLS = [*product(SIZES, DIMS, (False, True))]


@cache
def times(way, kernel):
    """{(n, d, causal): ms} of a kernel in a pass."""
    found = (x for x in bench()["rows"] if (x["pass"], x["kernel"]) == (way, kernel))
    return {(x["n"], x["d"], x["causal"]): x["ms"] for x in found if "ms" in x}


@cache
def roof(what, n):
    """{d: ms} of a row of the roofline's results, 16,384 tokens in all."""
    return {
        row["d"]: row["ms"]
        for row in results(newest("roofline").stem)["rows"]
        if row["what"] == what and row["n"] == n and row["batch"] * n == 16384
    }


def flash(n, over="standard"):
    """FlashAttention-2 in place of another way to compute attention at N, by d."""
    return [roof("flash", n)[d] / roof(over, n)[d] for d in DIMS]


def odd(*whats, way=None):
    """A shape over the next aligned one, by the top rungs, forward and backward."""
    return [
        row["ratio"]
        for row in bench()["unaligned"]
        if row["what"] in whats
        and row["kernel"] == TOP[row["pass"]]
        and way in (None, row["pass"])
    ]


def wider(variant="half_tiles", causal=(False, True)):
    """The Gluon rung's own tile over that of a variant with a smaller one."""
    return [
        row["base_ms"] / row["ms"]
        for row in results(newest("forward-variants").stem)["rows"]
        if row["variant"] == variant and row["causal"] in causal
    ]


def squares():
    """Plain Triton, d = 64, N = 1k: tiles of 128 × 128 over 64 × 64, and the rows."""
    rows = [
        row
        for row in results(newest("counters").stem)["rows"]
        if (row["what"], row["n"], row["batch"]) == ("q-outer", 1024, 64)
        and row["block_rows"] == row["block_cols"]
    ]
    small, large = sorted(rows, key=lambda row: row["block_rows"])
    return [large["ms"] / small["ms"]], small, large


def twice():
    """Two forward passes and a backward one over one of each, in every cell."""
    f, b = times("forward", TOP["forward"]), times("backward", TOP["backward"])
    return [(2 * f[c] + b[c]) / (f[c] + b[c]) for c in CELLS]


def step(forward, backward):
    """{cell: ms} of both passes together."""
    f, b = times("forward", forward), times("backward", backward)
    return {c: f[c] + b[c] for c in CELLS}


def apart(others=("cudnn", "flash", "flex")):
    """By how many percent at most ours and FlashAttention-4 differ in a step."""
    ours, fa4, *rest = step(*TOP.values()), *(step(x, x) for x in ("fa4", *others))
    assert all(max(ours[c], fa4[c]) < x[c] for x in rest for c in CELLS)
    return 100 * max(abs(ours[c] / fa4[c] - 1) for c in CELLS)


def narrow(way):
    """Heads of d = 64 over heads of d = 128, as many numbers a token in all."""
    found = times(way, TOP[way])
    return [
        found[n, 64, c] / found[n, 128, c] for n, c in product(SIZES, (False, True))
    ]


TIMES = {  # rule of the figure -> ratios
    "compile": lambda: practices.compiled("standard", False),
    "flash-8k": lambda: flash(8192),
    "flash-1k": lambda: flash(1024),
    "decoding": lambda: [*practices.fewer(1), *practices.fewer(16)],
    "compile-causal": lambda: practices.compiled("standard", True),
    "tf32": lambda: practices.switched("standard"),
    "causal": lambda: practices.flagged("ours"),
    "keys": wider,
    "batch": practices.batch,
    "gqa": practices.fewer,
    "half": practices.half,
    "narrower": lambda: odd("d 80", "d 96"),
    "bits": lambda: [*one_order.turns().values()],
    "checkpoint": twice,
    "tiles": lambda: squares()[0],
    "copy": practices.copied,
    "empty": practices.emptied,
    "bits-efficient": lambda: practices.fixed("efficient"),
    "pad": practices.filled,
    "mask": practices.masked,
}


def summary(ratios):
    """(least, geometric mean, most)."""
    return min(ratios), geometric(ratios), max(ratios)
