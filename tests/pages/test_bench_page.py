"""What the page `measured` says of the bench, beside what `bench` measured."""

import importlib
import json
import statistics

import pytest
from repository import ROOT

from tilewise.bench.cells import PASSES, geometric

_bench = importlib.import_module("draw.figures._bench")
FOUND = _bench.bench()
PAGE = (ROOT / "docs/en/gpu/measured.md").read_text("utf-8")


def grouped(way, other, place):
    """{N, d or causal: geometric mean of ours over another}, by place in a cell."""
    groups = {}
    for cell, x in _bench.ratios(way, _bench.TOP[way], other).items():
        groups.setdefault(cell[place], []).append(x)
    return {key: geometric(values) for key, values in groups.items()}


def compared(way, other, kernel=None):
    """Ours over another in every cell, as a list."""
    return [*_bench.ratios(way, kernel or _bench.TOP[way], other).values()]


def speeds_named():
    """The page's words on speed, with the numbers that were measured."""
    means = [geometric(compared(way, "cudnn")) for way in PASSES]
    yield "{:.2f} times as fast as cuDNN forward and {:.2f} times backward".format(
        *means
    )
    n = grouped("forward", "cudnn", 0)
    ends = f"{n[8192]:.2f} at 8k and is {n[16384]:.2f} at 16k"
    assert max(n, key=n.get) == 8192 and min(n, key=n.get) == 1024
    yield f"the lead grows from {n[1024]:.2f} at 1k to {ends}"
    n = grouped("forward", "fa4", 0)
    yield f"it shrinks, from {n[1024]:.2f} at 1k to {n[16384]:.2f} at 16k"
    fa4 = compared("backward", "fa4")
    yield f"of FlashAttention-4 in {sum(x > 1 for x in fa4)}."
    yield f"by {100 * (1 - geometric(fa4)):.0f}% in the mean"
    yield f"by {100 * (1 - min(fa4)):.0f}% in the worst cell"
    d = grouped("backward", "fa4", 1)
    yield f"{100 * (1 - d[64]):.0f}% at \\(d\\) = 64 and {100 * (1 - d[128]):.0f}% at"
    n = grouped("backward", "fa4", 0)
    n = {key: f"{100 * (1 - x):.0f}%" for key, x in n.items()}
    assert n[1024] == n[2048] and n[4096] == n[8192]
    yield f"{n[1024]} at 1k and 2k, {n[4096]} at 4k and 8k, {n[16384]} at 16k"
    lost = _bench.ratios("forward", _bench.TOP["forward"], "fa4")
    lost = {cell: x for cell, x in lost.items() if x < 1}
    assert [*lost] == [(16384, 128, False)] and min(lost.values()) > 0.99
    yield "by less than 1% at \\(N\\) = 16k, \\(d\\) = 128, without a mask"


def others_named():
    """The page's words on plain Triton and on the run itself."""
    plain = [_bench.mean(w, _bench.PLAIN[w]) / _bench.mean(w, "cudnn") for w in PASSES]
    yield "{:.2f} of cuDNN forward and {:.2f} backward".format(*plain)
    flex = [compared(way, "flex", _bench.PLAIN[way]) for way in PASSES]
    yield "by {:.2f} and {:.2f}".format(*map(geometric, flex))
    least = f"{min(flex[1]):.2f}"
    yield "they are equal" if least == "1.00" else f"it has {least}"
    twice = [compared(w, _bench.TOP[w], "flash_attention") for w in PASSES]
    yield f"comes out at {min(sum(twice, [])):.2f} to {max(sum(twice, [])):.2f} of it"
    yield "at {:.2f} forward and {:.2f} backward".format(*map(geometric, twice))
    clocks = [row["sm_clock_mhz"] for row in FOUND["rows"] if row.get("sm_clock_mhz")]
    yield f"between {min(clocks):.0f} and {max(clocks):.0f} MHz"
    watts = statistics.median(row["watts"] for row in FOUND["rows"] if row.get("watts"))
    yield f"{watts:.0f} W in the median"
    at = importlib.import_module("draw.figures.gpu.kernel_roofline").points()
    yield f"from {at['fa2_order'][1]:.0f} to {at['gluon_forward'][1]:.0f} TFLOP/s"


def host(kernel, way, **how):
    """(µs in the table, in each of its runs) of a line of the host's time."""
    wanted = {"kernel": kernel, "pass": way, "lengths": "same", "layers": 1, **how}
    runs = [FOUND["host"], *FOUND["host_runs"]]
    lines = [[x for x in run if wanted.items() <= x.items()] for run in runs]
    (told,), *times = [[x["microseconds"] for x in line] for line in lines]
    assert told == statistics.median(x for (x,) in times)
    return told, [x for (x,) in times]


def host_named():
    """The page's words on the host's time, ours and PyTorch's."""
    both = "flash_attention", "sdpa"
    plain = [host(x, "forward", grad=False) for x in both]
    words = "took {:.0f} to {:.0f} µs, and PyTorch's function, which stood beside it, "
    spread = [f(times) for _, times in plain for f in (min, max)]
    yield (words + "{:.0f} to {:.0f}").format(*spread)
    direct = [host(x, "backward", engine=False) for x in both]
    spread = [f(times) for _, times in direct for f in (min, max)]
    words = "without the engine took {:.0f} to {:.0f} and {:.0f} to {:.0f}"
    yield words.format(*spread)
    yield f"Without the engine our backward pass takes {direct[0][0]:.0f} µs"
    one, chain = (
        [host(x, "backward", engine=True, layers=n)[0] for x in both] for n in (1, 8)
    )
    yield f"a single call takes {one[0] / one[1]:.1f} times as long as PyTorch's"
    yield "a call is down to {:.0f} µs, PyTorch's to {:.0f}".format(*chain)
    kept = [host(x, "forward", grad=True)[0] for x in both]
    yield f"and {kept[0] / kept[1]:.1f} times as much where the backward pass"
    assert plain[0][0] / plain[1][0] == pytest.approx(1, abs=0.05)  # "costs what"
    new = host("sdpa", "forward", lengths="new")[0]
    yield f"takes {new / 1000:.0f} ms for that"


NAMED = [*speeds_named(), *others_named(), *host_named()]


@pytest.mark.parametrize("words", NAMED)
def test_the_page_says_what_was_measured(words):
    assert words in PAGE


def test_the_page_counts_the_cells_that_are_ours():
    fastest = 0
    for cell, speed in _bench.speeds("forward", _bench.TOP["forward"]).items():
        others = (_bench.speeds("forward", x)[cell] for x in _bench.LONG)
        fastest += speed >= max(others)
    assert f"the fastest in {fastest} of the 20 cells" in PAGE
    assert fastest == 19 and "in 1 cell of 20" in PAGE
    assert min(compared("forward", "cudnn")) > 1
    assert min(compared("backward", "cudnn")) > 1  # "ahead of cuDNN in all 20 cells"


def test_what_the_page_on_the_backward_kernels_says():
    page = (ROOT / "docs/en/gpu/backward-kernels.md").read_text("utf-8")
    rungs = "backward_split", "backward_descriptors", "gluon_backward", "fa4"

    def by_d(kernel, other):
        found = _bench.ratios("backward", kernel, other)
        of = ([x for cell, x in found.items() if cell[1] == d] for d in (64, 128))
        return map(geometric, of)

    told = "gains {:.2f} at \\(d = 64\\) and {:.2f} at 128".format(*by_d(*rungs[1::-1]))
    assert told in page
    told = "one walk in Gluon {:.2f} and {:.2f}.".format(*by_d(*rungs[2:0:-1]))
    assert told in page
    told = "has {:.2f} and {:.2f} of FlashAttention-4's".format(*by_d(*rungs[2:]))
    assert told in page
    wanted = {"kernel": "gluon_backward", "n": 16384, "d": 128, "causal": False}
    (row,) = (x for x in FOUND["rows"] if wanted.items() <= x.items())
    mhz = row["sm_clock_mhz"]
    told = f"{row['tflops']:.0f} TFLOP/s at {mhz:.0f} MHz are about 4100 cycles a tile"
    cycles = 10 * 64 * 128 * 128 * 132 * mhz * 1e6 / row["tflops"] / 1e12
    assert told in page and round(cycles, -2) == 4100


def test_what_the_page_says_of_the_sanitizer():
    """Every hazard is named at the kernel's beginning, where a warp reads its part."""
    (path,) = (ROOT / "benchmarks/results").glob("*-sanitizer.json")
    rows = json.loads(path.read_text("utf-8"))["rows"]
    rungs = {row["rung"] for row in rows}
    assert len(rungs) == 10 and len(rows) == 3 * len(rungs) and path.name in PAGE
    hazards = {row["rung"]: row for row in rows if row["errors"]}
    assert {row["tool"] for row in hazards.values()} == {"racecheck"}
    forward, backward = (hazards.pop(f"gluon_{way}") for way in PASSES)
    assert not hazards
    told = f"it names {forward['errors']} and {backward['errors']} hazards"
    assert told in PAGE
    for row in (forward, backward):
        reads = {k: n for k, n in row["accesses"].items() if k.startswith("Read")}
        assert sum(reads.values()) == row["errors"]
        assert len({k.rpartition(":")[2] for k in reads}) == 1  # a line of the source
