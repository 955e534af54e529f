"""Numbers in the prose of the page on rules of thumb: the newest file of each kind."""

from itertools import product

from draw.figures import _bench as bench
from draw.figures.memory import short_sequences as short
from draw.numbers._shared import span
from draw.tables import _errors as errors
from draw.tables import _order as one_order
from draw.tables import _practices as practices
from draw.tables import _rules as rules
from draw.tables.memory import clocks, decoding, tf32_time, tile_sizes

from tilewise import hardware, ledger
from tilewise.bench.cells import DIMS, PASSES, cell, geometric
from tilewise.rounding import largest, roundoff

FUSED = ("flash", "cudnn", "efficient", "ours")
OTHERS = ("cudnn", "fa4", "flash", "flex")  # those that readers can install


def power(x):
    """1.2e-06 as 1.2 · 10⁻⁶, in HTML."""
    digits, exponent = f"{x:.1e}".split("e-0")
    return f"{digits} · 10<sup>−{exponent}</sup>"


def wins(fused, way, d):
    """The least N from which on the fastest of these beats standard attention."""
    fast = [n for n in short.SIZES if min(short.ratio(x, way, n, d) for x in fused) < 1]
    assert fast == list(short.SIZES[-len(fast) :]), "not from some N on"
    return fast[0]


def lengths():
    """From which N on it wins, and what a share of the layer it is."""
    ms = rules.times("forward", "gluon_forward")
    yield "longer", f"{ms[16384, 128, False] / ms[1024, 128, False]:.1f}"
    first = {wins(["flash"], "forward", d) for d in DIMS}
    yield "flash_forward", f"{first.pop()}"
    assert not first, "the page gives one length for both head dimensions"
    for d in DIMS:
        yield f"flash_backward_{d}", f"{wins(['flash'], 'backward', d)}"
    least = [wins(["ours", "cudnn"], *x) for x in product(PASSES, DIMS)]
    yield "fastest", f"{max(least)}"
    yield "share", f"{100 * 1024 / (1024 + 6 * 2048):.1f}"
    yield "half_at", f"{6 * 2048:,}"


def one_token():
    """What moves and how long it takes to write one more token."""
    bills = {
        "flash": ledger.flash2_forward(1, 128, 128, 128, n_k=16384),
        "standard": ledger.standard_forward(1, 128, n_k=16384),
    }
    for name, bill in bills.items():
        yield f"token_{name}", f"{32 * (bill['reads'] + bill['writes']):,}"
    size = 2 * 2 * 16 * 32 * 16384 * 128
    yield "cache_gb", f"{size / 1e9:.2f}"
    yield "cache_tbs", f"{size / decoding.time('cudnn', 32, 16) / 1e6:.2f}"
    slower = [
        decoding.time("ours", k, 1) / decoding.time("cudnn", k, 1)
        for k in decoding.HEADS
    ]
    yield "decoding_least", f"{min(slower):.1f}"
    yield "decoding_most", f"{max(slower):.0f}"


def tiles():
    """Tiles of plain Triton and of the Gluon kernel."""
    best, few = {d: tile_sizes.best(d) for d in DIMS}, tile_sizes.times(128)
    rows = [best[d][32, c] / best[d][64, c] for d, c in product(DIMS, tile_sizes.COLS)]
    cols = [best[d][r, 32] / best[d][r, 64] for d, r in product(DIMS, (64, 128))]
    yield from span("rows_32", rows, 1)
    yield from span("keys_32", cols)
    wide = rules.wider("two_consumers", causal=(False,))
    yield from span("rows_128", [1 / x for x in wide])
    yield from span("keys_128", rules.wider())
    yield "four_warps", f"{few[128, 128, 4] / few[128, 128, 8]:.2f}"
    (ratio,), small, large = rules.squares()
    yield "square", f"{ratio:.2f}"
    yield "programs_64", f"{small['programs_per_sm']}"
    yield "programs_128", f"{large['programs_per_sm']}"


def shapes():
    """Odd lengths, other head dimensions, batches."""
    yield from span("filled", practices.filled(), 1)
    fair = (1000 / 1024) ** 2
    odd = sorted(x / fair for what in FUSED for x in practices.whole(what))
    for name, ratio in (("least", odd[0]), ("most", odd[-2]), ("exception", odd[-1])):
        yield f"lost_{name}", f"{100 * (ratio - 1):.0f}"
    yield from span("unaligned", rules.odd("N 1000"))
    yield from span("narrower", rules.odd("d 80", "d 96"))
    for way in PASSES:
        yield f"heads_64_{way}", f"{geometric(rules.narrow(way)):.2f}"
    rows = practices.rows("batches", what="ours")
    speed = {(row["pass"], row["batch"]): row["tflops"] for row in rows}
    for way, batch in product(PASSES, (1, 64)):
        yield f"batch_{batch}_{way}", f"{speed[way, batch]:.0f}"
    yield "batch_percent", f"{100 * speed['forward', 1] / speed['forward', 64]:.0f}"
    yield "sms", f"{hardware.GPUS['H200']['sms']['value']}"


def formats():
    """Errors and times of bf16, fp16 and fp32."""
    gpu = errors.rows("gpu_rows")
    flash, half, plain = (
        gpu[what, name, "o"]["rms"] / roundoff(name)
        for what, name in (("flash", "bf16"), ("flash", "fp16"), ("standard", "bf16"))
    )
    assert f"{flash:.2f}" == f"{half:.2f}", "the page says that both err alike"
    yield "flash_error", f"{flash:.2f}"
    yield "standard_error", f"{plain:.1f}"
    yield "fp16_exact", f"{roundoff('bf16') / roundoff('fp16'):.0f}"
    yield "fp16_largest", f"{largest('fp16'):,.0f}"
    yield "fp16_cells", f"{len(practices.half())}"
    yield from span("fp16", practices.half())
    yield "fp16_mean", f"{geometric(practices.half()):.2f}"
    worst = [tf32_time.row(x, "highest")["error"]["o"] for x in tf32_time.WAYS]
    yield "fp32_error", power(max(worst))
    yield "tl_dot_error", power(gpu["triton default", "fp32", "o"]["rms"])
    row, cells = tf32_time.row, [*product((1024, 4096), DIMS)]
    both = [[row(y, "high", *x)["ms"] for x in cells] for y in ("ours", "efficient")]
    slower = [a / b for a, b in zip(*both, strict=True)]
    yield from span("fp32_ours", slower, 1)
    half = {"n": 4096, "d": 128, "causal": False, "graph": True}  # as in compiled_calls
    yield "bf16_ms", f"{practices.ms('compiled', 'ours', **half):.2f}"
    yield from span("tf32_math", practices.switched("math", "bfloat16"))


def calls():
    """A fixed order, masks, copies, checkpoints, the cache."""
    turns = [*one_order.turns().values()]
    yield "fixed_backward", f"{geometric(turns):.2f}"
    yield "fixed_backward_most", f"{max(turns):.2f}"
    yield from span("fixed_cudnn", practices.fixed("cudnn"))
    yield from span("mask", practices.masked(), 1)
    yield "copies", f"{len(practices.copied())}"
    more = [
        practices.ms("views", f"{kernel}, view copied", n=n, d=d)
        - practices.ms("views", f"{kernel}, view", n=n, d=d)
        for kernel, n, d in product(practices.FUSED, (1024, 4096), DIMS)
    ]
    yield from span("copying", more)
    shape = cell(1024, 128)
    size = 2 * shape["batch"] * shape["heads"] * shape["n"] * shape["d"]
    roof = rules.results(rules.newest("roofline").stem)["copy"]["bytes_per_second"]
    yield "copied_mb", f"{size / 1e6:.0f}"
    yield "straight_us", f"{6 * size / roof * 1e6:.0f}"
    yield from span("checkpoint", rules.twice())
    kept = ledger.saved(16384, 128)
    yield "kept_times", f"{kept['standard'] / kept['flash2']:.0f}"
    yield from span("emptied", practices.emptied(), 1)
    peaks = {x["peak_reserved"] / 1e9 for x in practices.part("empty_cache")}
    (peak,) = {f"{x:.1f}" for x in peaks}
    yield "peak_gb", peak


def host(**which):
    """Microseconds of a row of the host's times."""
    which |= {"pass": "forward", "grad": False, "layers": 1}
    (row,) = [x for x in bench.bench()["host"] if which.items() <= x.items()]
    return row["microseconds"]


def measuring():
    """Clocks, first calls, winners, lengths that were not seen before."""
    speeds = {name: bench.speeds("forward", name) for name in OTHERS}
    best = [max(OTHERS, key=lambda x: speeds[x][c]) for c in speeds["cudnn"]]
    yield "fa4_first", f"{best.count('fa4')}"
    yield "cudnn_first", f"{best.count('cudnn')}"
    for way in PASSES:  # with ours among them
        own, *rest = (bench.speeds(way, x) for x in (bench.TOP[way], *OTHERS))
        first = [c for c in own if own[c] > max(x[c] for x in rest)]
        yield f"ours_first_{way}", f"{len(first)}"
    yield "sum_apart", f"{rules.apart():.0f}"
    (clock,) = practices.rows("clocks", what="ours", n=16384)
    peak = hardware.GPUS["H200"]["bf16"]["value"] / 1e12
    yield "returned_ms", f"{1e3 * clock['seconds_returned']:.2f}"
    yield "finished_ms", f"{1e3 * clock['seconds']:.1f}"
    yield "peak_times", f"{clock['tflops_returned'] / peak:.0f}"
    names = ("seen", "single", "graph")
    for name, x in zip(names, clocks.speeds("flash", 1024), strict=True):
        yield f"clock_{name}", f"{x:.0f}"
    for name, kept in (("first", False), ("next", True)):
        (row,) = practices.rows("first_calls", what="sdpa", kept_on_disk=kept)
        yield f"{name}_backward", f"{row['seconds'][0][1]:.1f}"
    yield "new_ms", f"{host(kernel='sdpa', lengths='new') / 1e3:.0f}"
    yield "known_us", f"{host(kernel='sdpa', lengths='same'):.0f}"
    yield "ours_us", f"{host(kernel='flash_attention', lengths='new'):.0f}"


PARTS = (lengths, one_token, tiles, shapes, formats, calls, measuring)
