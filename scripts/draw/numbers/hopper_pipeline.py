"""Numbers in the prose of the page on the Gluon kernel: schedules, gains, variants."""

import json

from draw.figures import _bench as bench
from draw.figures._lanes import run
from draw.figures._plot import results
from draw.figures.gpu import forward_timeline, two_in_flight
from draw.numbers._shared import variant
from draw.tables._rungs import COMPILED
from draw.tables.gpu import wide as _wide
from draw.tables.gpu.ladder_instructions import loop, per_score

from tilewise.bench.cells import geometric

OURS, BEFORE = "gluon_forward", "descriptors"
RUN = "forward-variants"


def schedules():
    """How long the Tensor Cores work, by the two rates alone."""
    yield "turns_64", f"{100 * two_in_flight.busy('turns', 64):.0f}"
    work = two_in_flight.work(128)
    assert work["S"] + work["P"] == work["S"] + work["O"], "the page says so"
    yield "first_128", f"{work['S'] + work['P']:.0f}"


def shared():
    """Shared memory that one program takes at d = 128."""
    table = json.loads(COMPILED.read_text("utf-8"))["kernels"]
    count = table[f"{OURS} sm_90 d=128 causal=False N=1024"][OURS]
    yield "shared_kib", f"{count['shared'] / 1024:.0f}"


def gains():
    """Beside the descriptors' rung: speed and instructions per score."""
    for d in (64, 128):
        ratios = bench.ratios("forward", OURS, BEFORE, d).values()
        yield f"gain_{d}", f"{100 * geometric(ratios) - 100:.0f}"
        for key, rung in (("ours", OURS), ("before", BEFORE)):
            yield f"{key}_score_{d}", f"{per_score(loop(rung, 0, d)):.1f}"
    scores = 64 * 128  # of a consumer's tile; an SM issues for 128 threads per cycle
    issued = round(per_score(loop(OURS, 0, 64)), 1) * scores / 128
    yield "issue_64", f"{issued:.0f}"


def clock():
    """What stamps in the kernel say: the period of a tile, and two consumers' distance.

    At d = 64 an SM has three consumers' tiles of 64 rows and 128 keys in a period.
    """
    stamps = results("h100-2026-11-24-timeline")
    period = stamps["passes"]["forward"]["64"][0]["cycles"]["consumer 0"]["again"]
    work = two_in_flight.work(64)
    yield "period_64", f"{period:.0f}"
    yield "products_64", f"{3 * (work['S'] + work['O']):.0f}"
    yield "products_percent", f"{300 * (work['S'] + work['O']) / period:.0f}"
    free, turns = (stamps["apart"]["128"][x] for x in ("no turns", "turns"))
    yield "apart_first", f"{free[0]}"
    yield "apart_fourth", f"{free[3]}"
    for name, gaps in (("free", free[4:]), ("turns", turns[4:])):
        yield f"apart_{name}_least", f"{min(gaps)}"
        yield f"apart_{name}_most", f"{max(gaps)}"
    drawn = run(forward_timeline.STRIP)
    yield "strip_slower", f"{100 * (drawn['slowdown'] - 1):.0f}"
    parts = [x for role, x in drawn["cycles"].items() if role != "producer"]
    share = sum(x["again"] for x in parts) / sum(sum(x.values()) for x in parts)
    yield "softmax_percent", f"{100 * share:.0f}"


def parts():
    """Where a part counts that was taken out."""
    yield "longest_first", f"{variant(RUN, 'longest_first', d=128, causal=True):.2f}"
    yield "one_q", f"{variant(RUN, 'one_q', n=1024):.2f}"
    slower = variant(RUN, "q_in_shared_memory")
    yield "q_registers", f"{100 / slower - 100:.0f}"
    cells = [(64, False), (64, True), (128, False), (128, True)]
    gain = [100 / variant(RUN, "no_turns", d=d, causal=c) - 100 for d, c in cells]
    yield "turns_least", f"{min(gain):.0f}"
    yield "turns_most", f"{max(gain):.0f}"
    yield "sums_apart", f"{100 / variant(RUN, 'row_sums_at_once') - 100:.1f}"
    for d in (64, 128):
        slower = 100 * (1 - variant(RUN, "held_back", d=d))
        yield f"held_{d}", f"{slower:.0f}"
    for tiles in (8, 128):  # of a row, of which a warp has 16
        kept = [(1 - 1 / j) ** 16 for j in range(1, tiles + 1)]
        yield f"skipped_{tiles}", f"{100 * sum(kept) / tiles:.0f}"
    yield "skip_16k", f"{100 / variant(RUN, 'rescale_always', n=16384) - 100:.0f}"


def thresholds():
    """What it gives, and costs, that m lags behind: speed, errors over FA2's."""
    assert variant(RUN, "threshold_8", d=64) < 1, "the page says so"
    gain = 100 * variant(RUN, "threshold_8", d=128) - 100
    yield "threshold_8_gain_128", f"{gain:.1f}"
    rows = results(bench.newest(RUN).stem)["errors"]
    doubled = [x["errors"] for x in rows if x["times"] == 2]
    for name in ("threshold_2", "threshold_8"):
        worst = max(x[name] / x["flash_attention_2"] for x in doubled)
        yield f"{name}_error_2", f"{worst:.2f}"


def wide():
    """d = 256: the Gluon pair over cuDNN and over the rungs that ran there before."""
    for way in _wide.KERNELS:
        lines = [x for key, x in _wide.speeds().items() if key[0] == way]
        for name, column in (("cudnn", 1), ("triton", 2)):
            mean = geometric([x[-1] / x[column] for x in lines])
            yield f"wide_{way}_{name}", f"{mean:.2f}"
        assert all(x[-1] == max(x) for x in lines), "the page says so"


PARTS = (schedules, shared, gains, clock, parts, thresholds, wide)
