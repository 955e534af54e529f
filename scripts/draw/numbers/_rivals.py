"""Ours beside its two closest rivals, FlashAttention-4 and -3, cell by cell."""


from draw.figures import _bench as bench

from tilewise.bench.cells import geometric


def compared(way, other, kernel=None):
    """{(n, d, causal): the speed of ours, or of a kernel, over another's}."""
    return bench.ratios(way, kernel or bench.TOP[way], other)


def means(way, other, place):
    """{N, d or causal: geometric mean of ours over another}, by place in a cell."""
    groups = {}
    for cell, x in compared(way, other).items():
        groups.setdefault(cell[place], []).append(x)
    return {key: geometric(values) for key, values in groups.items()}


def fastest(lead=1):
    """In how many cells ours leads all forward that can be installed by this factor."""
    others = [bench.speeds("forward", name) for name in bench.LONG]
    ours = bench.speeds("forward", bench.TOP["forward"])
    return sum(x >= lead * max(o[c] for o in others) for c, x in ours.items())


def percent(ratio):
    """By how much it falls short of 1, as text."""
    return f"{100 * (1 - ratio):.0f}"


def losses():
    """Backward beside FlashAttention-4."""
    cells = compared("backward", "fa4")
    fa4 = cells.values()
    yield "ahead", f"{sum(x > 1 for x in fa4)}"
    yield "ahead_most", f"{100 * max(fa4) - 100:.0f}"
    full = [x for cell, x in cells.items() if cell[1:] == (128, False)]
    yield "behind_mean", percent(geometric(full))
    yield "behind_worst", percent(min(fa4))
    for d, x in means("backward", "fa4", 1).items():
        yield f"over_fa4_backward_{d}", f"{x:.2f}"


def newest():
    """FlashAttention-3, forward, and what is lost there to any of the others."""
    fa3 = bench.ratios("forward", "fa4", "fa3").values()
    yield "fa4_over_fa3_forward", f"{geometric(fa3):.2f}"
    yield "over_fa3", f"{geometric(compared('forward', 'fa3').values()):.2f}"
    for d, x in means("forward", "fa3", 1).items():
        yield f"over_fa3_{d}", f"{x:.2f}"
    ratios = [compared("forward", x) for x in bench.COLUMNS["forward"]]
    worst = {c: min(x[c] for x in ratios) for c in ratios[0]}
    yield "lost", f"{sum(x < 1 for x in worst.values())}"
    yield "lost_most", percent(min(worst.values()))
