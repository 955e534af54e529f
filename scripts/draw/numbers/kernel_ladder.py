"""Numbers in the prose of the page on the forward rungs: bytes, instructions, gains."""

import json

from draw.figures import _bench as bench
from draw.figures.gpu.first_rungs import rates, times
from draw.tables import _rungs as rungs
from draw.tables.gpu.ladder_instructions import loop, per_score
from draw.tables.gpu.ladder_tiles import cells
from draw.tables.gpu.rung_bytes import measured

from tilewise.hardware import GPUS
from tilewise.ledger.tiles import visits

CLOCK = 1.83e9  # Hz, the one that NVIDIA states for an H200
ISSUED = 4 * rungs.WARP  # instructions of single threads that an SM begins in a cycle


def traffic():
    """What rungs ask for with 64 heads of N = 4096 and d = 128, in gigabytes."""
    scores = rungs.HEADS * rungs.WORD * 4 * rungs.N**2
    yield "naive_gb", f"{rungs.asked('naive') / 1e9:.2f}"
    yield "scores_gb", f"{scores / 1e9:.2f}"
    yield "fa1_rounds", f"{rungs.N // rungs.tile('fa1_order')[1]}"
    yield "fa1_gb", f"{rungs.asked('fa1_order') / 1e9:.2f}"
    yield "fa1_bf16_gb", f"{rungs.asked('fa1_order', kept=rungs.WORD) / 1e9:.2f}"
    last = rungs.asked("descriptors")
    rate = rates()["l2"] * GPUS["H200"]["sms"]["value"] * CLOCK
    yield "descriptors_gb", f"{last / 1e9:.2f}"
    yield "l2_tbs", f"{rate / 1e12:.1f}"


def seen(rung):
    """What a rung moved through L2 and HBM, in bytes, and its milliseconds."""
    told = {"kernel": rung, "batch": 4, "n": rungs.N, "d": rungs.D}
    (row,) = (x for x in bench.bench("rungs")["rows"] if told.items() <= x.items())
    l2 = measured(row, "l2_read", "l2_write")
    hbm = measured(row, "dram_read", "dram_write", "dram_write_after")
    return l2, hbm, row["ms"]


def counters():
    """What the hardware counted: FA1's order at HBM, descriptors at L2."""
    _, hbm, ms = seen("fa1_order")
    yield "fa1_ms", f"{ms:.1f}"
    yield "fa1_tbs", f"{hbm / ms / 1e9:.1f}"
    l2, hbm, ms = seen("descriptors")
    yield "l2_gb", f"{l2 / 1e9:.2f}"
    yield "last_hbm_gb", f"{hbm / 1e9:.2f}"
    yield "l2_ms", f"{ms:.3f}"
    yield "l2_seen_tbs", f"{l2 / ms / 1e9:.1f}"
    t = times()
    naive = 2 * t["product"] + t["exp"] + 4 * t["s"]
    fa1 = 2 * t["product"] + t["exp"] + t["qo"] + t["o"]
    yield "fa1_model", f"{fa1 / naive:.1f}"


def instructions():
    """Instructions for each score at d = 64, and the cycles of a tile."""
    told = {x: per_score(loop(x, 0, 64)) for x in ("fa2_order", "exp2", "descriptors")}
    rows, cols, *_ = rungs.tile("fa2_order", 64)
    yield "fa2_score", f"{told['fa2_order']:.1f}"
    yield "last_score", f"{told['descriptors']:.1f}"
    yield "saved_score", f"{told['fa2_order'] - told['exp2']:.0f}"
    for d in (64, 128):
        two = [round(per_score(loop(x, 0, d)), 1) for x in ("exp2", "causal")]
        yield f"mask_{d}", f"{two[0] - two[1]:.1f}"
    yield "tile_scores", f"{rows * cols}"
    cycles = rows * cols * round(told["fa2_order"], 1) / ISSUED
    yield "tile_cycles", f"{round(cycles, -1):.0f}"
    yield "tile_product", f"{2 * 2 * rows * cols * 64 / rates()['bf16']:.0f}"


def tiles():
    """What descriptors bring apart from the tile, and what the tile brings."""
    whose = ("causal", "descriptors")
    pairs = {(d, x): [*cells(d, x)] for d in (64, 128) for x in whose}
    freed = [pointers[0] - other[0] for pointers, other in pairs.values()]
    before, after = (x[1] for x in pairs[128, "causal"])
    yield "freed", f"{max(freed)}"
    (count,) = rungs.compiled("fa2_order").values()
    yield "spills_first", f"{count['spills']}"
    yield "spills_before", f"{before}"
    yield "spills_after", f"{after}"
    pointers = {key: float(x[0][2]) for key, x in pairs.items()}
    more = pointers[128, "descriptors"] - pointers[128, "causal"]
    yield "narrow_costs", f"{more:.0f}"
    yield "wide_before", f"{pointers[64, 'causal']}"


def gain(rung, before, d, causal=None):
    """The geometric mean of a rung's speed over another's."""
    ratios = bench.ratios("forward", rung, before, d)
    return bench.geometric([x for k, x in ratios.items() if causal in (None, k[2])])


def gains():
    """What each rung brought, from the newest run of the bench."""
    for d in (64, 128):
        yield f"base2_{d}", f"{gain('exp2', 'fa2_order', d):.2f}"
        yield f"skip_{d}", f"{gain('causal', 'exp2', d, True):.2f}"
        yield f"unmasked_{d}", f"{gain('causal', 'exp2', d, False):.2f}"
    speed = {name: bench.speeds("forward", name) for name in rungs.RUNGS}
    cell, masked = ((rungs.N, rungs.D, causal) for causal in (False, True))
    for name in ("naive", "fa1_order", "fa2_order", "exp2", "causal", "descriptors"):
        yield f"cell_{name}", f"{speed[name][cell]:.0f}"
    for name in ("exp2", "causal"):
        yield f"masked_{name}", f"{speed[name][masked]:.0f}"
    last, long = speed["descriptors"][cell], (16384, rungs.D, False)
    yield "over_naive", f"{last / speed['naive'][cell]:.1f}"
    slower = speed["naive"][cell] / speed["fa1_order"][cell]
    yield "fa1_times", f"{slower:.0f}"
    yield "over_fa1", f"{last / speed['fa1_order'][cell]:.0f}"
    yield "fa1_long", f"{speed['fa1_order'][long] / speed['naive'][long]:.1f}"

    means = [bench.mean("forward", x) for x in ("descriptors", "cudnn")]
    yield "of_cudnn", f"{means[0] / means[1]:.2f}"


def a_tile():
    """Cycles of the third rung's tile, 128 × 64 at d = 64, by its speed and clock."""
    at = {"pass": "forward", "kernel": "fa2_order", "n": 4096, "d": 64, "causal": False}
    (row,) = (x for x in bench.bench()["rows"] if at.items() <= x.items())
    tiles = row["tflops"] * 1e12 / (4 * 64 * 128 * 64)  # a second
    cycles = bench.bench()["machine"]["sms"] * row["sm_clock_mhz"] * 1e6 / tiles
    yield "tile_measured", f"{round(cycles, -2):.0f}"


def window():
    """How many times a window's pairs of rows and keys its tiles hold, from 64 on."""
    n, (rows, cols, *_) = 16384, rungs.tile("windows")
    for width in (64, 1024):
        pairs = width * n - width * (width - 1) // 2
        held = visits(n, n, rows, cols, True, (width - 1, 0))[2]
        yield f"window_{width}_held", f"{held / pairs:.2f}"


def options():
    """What options cost without being used, and what windows cost beside their tiles.

    A tile of 64 × 64 is expected to cost what it does in the whole causal mask.
    window_more: so many tiles a block of rows costs more, up to windows of 2048 keys.
    """
    file = json.loads(bench.newest("options").read_text("utf-8"))
    at = {(x["pass"], x["d"], x["option"]): x for x in file["rows"] if x["n"] == 16384}
    cells = [(way, d) for way in ("forward", "backward") for d in (64, 128)]
    tile = {x: at[*x, "none"]["ms"] / at[*x, "none"]["tiles"] for x in cells}
    for way, d in cells:
        unused = at[way, d, "none"]["ms"] / at[way, d, "plain"]["ms"]
        yield f"unused_{way}_{d}", f"{100 * abs(unused - 1):.0f}"
    for width in (256, 1024, 4096):
        rows = {x: at[*x, f"window {width}"] for x in cells}
        over = [row["ms"] / row["tiles"] / tile[x] for x, row in rows.items()]
        yield f"window_{width}_tiles", f"{width // 64 + 1}"
        if width < 4096:
            yield f"window_{width}_least", f"{min(over):.1f}"
        yield f"window_{width}_most", f"{max(over):.1f}"
    for d in (64, 128):
        rows = [at["forward", d, f"window {w}"] for w in (256, 512, 1024, 2048)]
        more = [row["ms"] / tile["forward", d] - row["tiles"] for row in rows]
        yield f"window_more_{d}", f"{sum(more) / len(more) / (16384 // 64):.0f}"


def numbers():
    """{name: text} of every number that this page takes."""
    parts = traffic, counters, instructions, tiles, gains, a_tile, window
    return dict(pair for part in (*parts, options) for pair in part())
