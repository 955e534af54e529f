"""Numbers in the prose of the page on backward kernels: what was tried, and gained."""

from draw.figures import _bench as bench
from draw.figures._plot import results
from draw.tables import _order as one_order
from draw.tables.gpu import backward_timeline as timeline

from tilewise.bench.cells import DIMS, geometric

TOP, CELL = bench.TOP["backward"], (16384, 128, False)
TILE = 64 * 128  # rows and keys of a program's tile at d = 128


def speed(variant, run, **cells):
    """The geometric mean of a variant's speed beside the kernel's, in these cells."""
    wanted = {"variant": variant, **cells}
    rows = results(bench.newest(f"backward-{run}").stem)["rows"]
    chosen = [row for row in rows if wanted.items() <= row.items()]
    return geometric([row["base_ms"] / row["ms"] for row in chosen])


def tried():
    """What the poll brings."""
    poll = max(speed("no_pin", "variants", d=d) for d in DIMS)
    yield "poll_percent", f"{100 * poll - 100:.0f}"


def walks():
    """What programs gain that go on, and what a fixed order costs beside them."""
    short = speed("one_walk", "walks", n=1024)
    yield "walks_short", f"{100 / short - 100:.0f}"
    yield "walks_gain", f"{100 / speed('one_walk', 'walks') - 100:.0f}"
    masked = speed("whole_k", "walks", d=128, causal=True)
    yield "half_k_masked", f"{100 / masked - 100:.0f}"
    yield "ordered", f"{speed('ordered', 'walks'):.2f}"


def order():
    """What one order of dQ's sums costs, by the choice that the kernel makes."""
    speeds = {key: x["base_ms"] / x["ms"] for key, x in one_order.rows().items()}
    chosen = {cell: 1 / x for cell, x in one_order.turns().items()}
    back = [cell for cell in chosen if one_order.from_the_last(*cell)]
    yield "ordered_chosen", f"{geometric([*chosen.values()]):.2f}"
    yield "ordered_least", f"{min(chosen.values()):.2f}"
    yield "two_walks", f"{geometric([speeds['two_walks', x] for x in chosen]):.2f}"
    for name in ("ordered", "ordered_back"):
        yield f"{name}_long", f"{geometric([speeds[name, x] for x in back]):.2f}"


def rungs():
    """Each rung's speed, and the last one's over cuDNN and FlashAttention-4."""
    pairs = {
        "fa4": (TOP, "fa4"),
        "cudnn": (TOP, "cudnn"),
    }
    for name, pair in pairs.items():
        yield name, f"{geometric(bench.ratios('backward', *pair).values()):.2f}"
    for way, top in bench.TOP.items():
        wide, narrow = (bench.mean(way, top, d) for d in (128, 64))
        yield f"wider_{way}", f"{wide / narrow:.2f}"
    for d in DIMS:
        for rung in ("backward_split", "backward_descriptors", TOP):
            yield f"{rung}_{d}", f"{bench.mean('backward', rung, d):.0f}"


def budget():
    """Where the cycles of a tile go, without a mask at the longest N, d = 128."""
    keys, told = ("pass", "n", "d", "causal"), ("backward", *CELL)
    rows = results(bench.newest("clocks").stem)["rows"]
    rows = {x["state"]: x for x in rows if tuple(x[k] for k in keys) == told}
    work = rows["at work"]
    tiles = 16 * CELL[0] ** 2 / TILE  # 16 heads
    cycles = 132 * 1e3 * work["ms"] * work["sm_mhz"] / tiles
    sram, cores = 2 * 1472, 10 * TILE * 128 // 4096  # of both consumers: backward_sram
    yield "ms", f"{work['ms']:.1f}"
    yield "mhz", f"{work['sm_mhz']:.0f}"
    yield "cycles", f"{round(cycles, -1):.0f}"
    yield "cores_cycles", f"{cores}"
    yield "sram_cycles", f"{sram}"
    yield "left_cycles", f"{round(cycles - sram, -1):.0f}"
    loop = sum(timeline.cycles("consumer 0").values())  # of another card
    yield "call_more", f"{100 * cycles / loop - 100:.0f}"
    yield "lost_cycles", f"{round(loop - sram, -1):.0f}"
    yield "outside_cycles", f"{round(cycles - loop, -1):.0f}"
    yield "uneven", f"{100 * (work['longest'] - 1):.0f}"


def clock():
    """What the stamps in the kernel say."""
    runs = timeline.pairs()
    parts = timeline.cycles("consumer 0")
    yield "slowest_stamps", f"{100 * (max(x['slowdown'] for x in runs) - 1):.0f}"
    drawn = results(timeline.FILE)["passes"]["backward"][timeline.D]
    strip = next(x["slowdown"] for x in drawn if len(x["points"]) == 5)
    yield "strip_slower", f"{100 * (strip - 1):.0f}"
    yield "period", f"{sum(parts.values()):.0f}"
    yield "until_scores", f"{sum(parts[x] for x in ('q', 'do', 'scores')):.0f}"
    yield "one_product", f"{2 * 64 * TILE // 2 * 2 // 4096}"
    fetch = runs[0]["cycles"]["producer"]
    yield "fetch_waits", f"{100 * fetch['empty'] / sum(fetch.values()):.0f}"
    yield "room_waits", f"{parts['room']:.0f}"


def numbers():
    """{name: text} of every number that this page takes."""
    return dict([*tried(), *walks(), *order(), *rungs(), *budget(), *clock()])
