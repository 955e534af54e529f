"""Numbers in the prose of the page on the benchmarks: the newest file of each kind."""

import json
import statistics
from itertools import product

from draw.figures import _bench as bench
from draw.figures._plot import results
from draw.figures.gpu.kernel_roofline import points
from draw.figures.memory import short_sequences as short
from draw.numbers._rivals import compared, fastest, losses, means, newest
from draw.tables.gpu import rung_bytes

from tilewise.bench.cells import DIMS, PASSES, geometric
from tilewise.hardware import CEILINGS


def speeds():
    """Ours over cuDNN and over FlashAttention-4, and by length."""
    for way in PASSES:
        yield f"cudnn_{way}", f"{geometric(compared(way, 'cudnn').values()):.2f}"
    for other in ("cudnn", "fa4"):
        by_n = means("forward", other, 0)
        for n in (1024, 16384):
            yield f"{other}_{n // 1024}k", f"{by_n[n]:.2f}"
    for way in PASSES:
        yield f"over_fa4_{way}", f"{geometric(compared(way, 'fa4').values()):.2f}"
        fa4, fa2 = (bench.speeds(way, x) for x in ("fa4", "flash"))
        yield f"fa4_over_fa2_{way}", f"{geometric(fa4[c] / fa2[c] for c in fa4):.1f}"
    slow = [
        short.ratio(x, way, 64, d)
        for x in ("ours", "cudnn")
        for way in PASSES
        for d in DIMS
    ]
    worst = max(ours / theirs for ours, theirs in zip(slow[:4], slow[4:]))
    yield "short_worst", f"{worst:.1f}"
    yield "fastest", f"{fastest()}"


def slow():
    """PyTorch's two slowest ways forward, whose plots would be flat, over ours."""
    standard = compared("forward", "math").values()
    yield "standard_least", f"{min(standard):.0f}"
    yield "standard_most", f"{max(standard):.0f}"
    yield "efficient", f"{geometric(compared('forward', 'efficient').values()):.1f}"


def plain():
    """The best rung in plain Triton over cuDNN and over FlexAttention."""
    for way in PASSES:
        for other in ("cudnn", "flex"):
            ratios = compared(way, other, bench.PLAIN[way]).values()
            yield f"plain_{other}_{way}", f"{geometric(ratios):.2f}"
    yield "plain_flex_worst", f"{min(ratios):.2f}"


def noise():
    """One kernel timed twice; the clock and the power while it ran."""
    twice = {w: compared(w, bench.TOP[w], "flash_attention").values() for w in PASSES}
    every = [x for ratios in twice.values() for x in ratios]
    yield "twice_least", f"{min(every):.2f}"
    yield "twice_most", f"{max(every):.2f}"
    yield "twice_far", f"{sum(abs(x - 1) > 0.03 for x in every)}"
    for way, ratios in twice.items():
        yield f"twice_{way}", f"{geometric(ratios):.2f}"
    runs = [results(bench.newest(f"backward-{x}").stem) for x in ("bounds", "window")]
    again = [x for run in runs for x in run["rows"] if x["variant"] == "base2"]
    again = [x["base_ms"] / x["ms"] for x in again]
    yield "again_least", f"{min(again):.2f}"
    yield "again_most", f"{max(again):.2f}"
    rows = bench.bench()["rows"]
    clocks = results(bench.newest("clocks").stem)["rows"]
    for state, way in product(("rested", "at work"), PASSES):
        told = {"state": state, "pass": way}.items()
        mhz = [row["sm_mhz"] for row in clocks if told <= row.items()]
        yield f"{state.split()[-1]}_{way}", f"{statistics.mean(mhz) / 1e3:.2f}"
    watts = statistics.median(row["watts"] for row in rows if row.get("watts"))
    yield "watts", f"{watts:.0f}"


def roof():
    """The points of the roofline's figure; how much of a time the ledger explains."""
    at = points()
    for rung in ("naive", "fa1_order", "fa2_order", "gluon_forward"):
        yield f"roof_{rung}", f"{at[rung][1]:.0f}"
    later = [x for rung, (x, _) in at.items() if rung not in ("naive", "fa1_order")]
    yield "roof_least", f"{round(min(later), -2):.0f}"
    yield "roof_most", f"{round(max(later), -2):.0f}"
    rate = CEILINGS["hbm"]["value"]
    yield "roof_possible", f"{at['fa1_order'][0] * rate / 1e12:.0f}"
    for row in bench.bench("rungs")["rows"]:
        if (row["batch"], row["n"]) == (64, 1024) and row["kernel"] != "fa2_order":
            share = rung_bytes.counted(row) / rate / row["ms"] * 1e3
            yield f"traffic_{row['kernel']}", f"{100 * share:.0f}"


def host(kernel, way, **how):
    """(µs in the table, in each of its runs) of a line of the host's time."""
    wanted = {"kernel": kernel, "pass": way, "lengths": "same", "layers": 1, **how}
    runs = [bench.bench()["host"], *bench.bench()["host_runs"]]
    lines = [[x for x in run if wanted.items() <= x.items()] for run in runs]
    told, *times = [x["microseconds"] for (x,) in lines]
    return told, times


def calls():
    """The host's time, ours and that of PyTorch's function."""
    kernels = {"ours": "flash_attention", "theirs": "sdpa"}
    spread = {"forward": {"grad": False}, "backward": {"engine": False}}
    for name, kernel in kernels.items():
        for way, how in spread.items():
            _, times = host(kernel, way, **how)
            yield f"{name}_{way}_least", f"{min(times):.0f}"
            yield f"{name}_{way}_most", f"{max(times):.0f}"
        chain, times = host(kernel, "backward", engine=True, layers=8)
        yield f"{name}_chain", f"{chain:.0f}"
        yield f"{name}_chain_least", f"{min(times):.0f}"
        yield f"{name}_chain_most", f"{max(times):.0f}"
    yield from chained()
    for name, way, how in (
        ("forward_times", "forward", {"grad": False}),
        ("grad_times", "forward", {"grad": True}),
    ):
        ours, theirs = (host(x, way, **how)[0] for x in kernels.values())
        yield name, f"{ours / theirs:.1f}"
    yield "plan_ms", f"{host('sdpa', 'forward', lengths='new')[0] / 1000:.0f}"


def chained():
    """Where the host's time of our backward pass in a chain of calls goes."""
    chain, theirs, empty = (
        host(x, "backward", engine=True, layers=8)[0]
        for x in ("flash_attention", "sdpa", "empty")
    )
    alone = host("empty", "backward", engine=True)[0]
    direct = host("flash_attention", "backward", engine=False)[0]
    yield "chain_times", f"{chain / theirs:.1f}"
    yield "empty_single", f"{alone:.0f}"
    yield "empty_chain", f"{empty:.0f}"
    yield "ours_direct", f"{direct:.0f}"
    yield "chain_rest", f"{round(chain - empty - direct, -1):.0f}"


def hazards():
    """What racecheck names in the rungs of Gluon."""
    rows = json.loads(bench.newest("sanitizer").read_text("utf-8"))["rows"]
    for row in rows:
        if isinstance(row["errors"], int) and row["errors"]:
            name = row["rung"].removeprefix("gluon_")
            yield f"hazards_{name}", f"{row['errors']}"


def versions():
    """Of what took part, as the file has them."""
    found = bench.bench()["machine"]
    yield "cudnn_version", f"{found['cudnn'] // 10000}.{found['cudnn'] // 100 % 100}"
    yield "torch_version", found["torch"].partition("+")[0]
    yield "fa4_version", found["flash_attn_4"]


PARTS = (versions, speeds, slow, losses, newest, plain, noise, roof, calls, hazards)
