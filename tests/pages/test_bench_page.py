"""What the page `measured` claims of the bench, beside what `bench` measured."""

import importlib
import json
import statistics

import pytest
from draw.numbers import measured
from draw.tables.gpu import two_cards
from repository import ROOT

from tilewise.bench.cells import DIMS, PASSES, geometric

_bench = importlib.import_module("draw.figures._bench")
FOUND = _bench.bench()
CARDS = "h200", "h100"


def test_ours_is_ahead_of_cudnn_in_every_cell_but_one():
    first, *others = sorted(measured.compared("forward", "cudnn").values())
    assert 0.97 < first < 1 < min(others)
    assert min(measured.compared("backward", "cudnn").values()) > 1


def test_fa4_is_slower_forward_and_equal_backward():
    means = [geometric(measured.compared(way, "fa4").values()) for way in PASSES]
    assert means[0] > 1.05 and means[1] == pytest.approx(1, abs=0.02)  # the noise


def test_what_is_lost_forward_is_lost_by_little_and_nearly_all_to_the_two_newest():
    fa3, fa4 = (measured.compared("forward", name) for name in ("fa3", "fa4"))
    assert min(fa3.values()) > 0.99 and min(fa4.values()) > 0.97
    assert sum(x < 1 for x in fa4.values()) == 1
    assert measured.fastest(1.07) == 0
    for name in ("flash", "flex"):
        assert min(measured.compared("forward", name).values()) > 1
    by_d = measured.means("forward", "fa3", 1)
    assert by_d[64] > 1.05 and by_d[128] > 1.02


def test_the_lead_grows_with_the_length_over_cudnn_and_shrinks_over_fa4():
    leads = [*measured.means("forward", "cudnn", 0).values()]
    assert leads[:4] == sorted(leads[:4]) and leads[4] > leads[3] - 0.02  # the noise
    by_n = measured.means("forward", "fa4", 0)
    assert by_n[1024] > by_n[2048] > max(by_n[n] for n in (4096, 8192, 16384)) > 1


def test_backward_the_gap_to_fa4_is_where_the_page_says():
    by_d = measured.means("backward", "fa4", 1)
    assert by_d[64] > 1.01 > by_d[128] > 0.99
    cells = measured.compared("backward", "fa4")
    assert max(cells.values()) < 1.07  # the noise
    behind = [x for cell, x in cells.items() if cell[1:] == (128, False)]
    assert 0.955 < min(behind) and geometric(behind) < 0.985
    assert min(x for x in cells.values() if x not in behind) > 0.99


@pytest.mark.parametrize("d", DIMS)
def test_flex_is_between_the_fourth_rung_and_the_fifth(d):
    speeds = [_bench.mean("forward", name, d) for name in ("exp2", "flex", "causal")]
    assert speeds == sorted(speeds)


def test_plain_triton_is_ahead_of_flex_but_for_the_noise():
    for way in PASSES:
        ratios = measured.compared(way, "flex", _bench.PLAIN[way]).values()
        assert min(ratios) > 0.97 and geometric(ratios) > 1.2


def test_the_h100_says_what_the_h200_says():
    """By older code, up to 3 percent behind forward and 3.5 to 7.5 percent backward."""
    cards = [
        json.loads(_bench.newest("attention", x).read_text("utf-8")) for x in CARDS
    ]
    versions = "torch", "cudnn", "triton", "flash_attn_4", "cuda"
    assert len({tuple(x["machine"][k] for k in versions) for x in cards}) == 1
    for way in PASSES:
        for other in two_cards.PEERS:
            both = [two_cards.ratios(x, way, other).values() for x in CARDS]
            here, there = (geometric(x) for x in both)
            off = 1 - there / here
            assert 0 < off < 0.03 if way == "forward" else 0.035 < off < 0.075


def test_the_host_is_measured_five_times_and_the_median_told():
    assert len(FOUND["host_runs"]) == 5
    ours, theirs = (
        measured.host(x, "forward", grad=False) for x in ("flash_attention", "sdpa")
    )
    assert all(told == statistics.median(times) for told, times in (ours, theirs))


def test_the_driver_names_a_clock_a_tenth_too_high():
    """And the SMs are slower at work than after a pause, by a tenth or more."""
    rows = json.loads(_bench.newest("clocks").read_text("utf-8"))["rows"]
    work, rested = ([x for x in rows if x["state"] == s] for s in ("at work", "rested"))
    assert len(work) == len(rested) == 4
    for x, y in zip(work, rested, strict=True):
        assert 1.09 < x["nvml_mhz"] / x["sm_mhz"] < 1.13
        assert x["sm_mhz"] < 0.9 * y["sm_mhz"]


def test_every_hazard_is_where_a_warp_reads_what_it_is_told():
    """At the kernel's beginning, or, of walks, by the warp that fetches."""
    (path,) = (ROOT / "benchmarks/results").glob("*-sanitizer.json")
    rows = json.loads(path.read_text("utf-8"))["rows"]
    rungs = {row["rung"] for row in rows}
    assert len(rungs) == 13 and len(rows) == 3 * len(rungs)
    assert {row.get("status", 0) for row in rows} == {0}  # each saw all shapes
    hazards = {row["rung"]: row for row in rows if row["errors"]}
    assert {row["tool"] for row in hazards.values()} == {"racecheck"}
    assert hazards.pop("gluon_wide_backward")["errors"] == "not ended within 200 s"
    windows = {"gluon_windows", "gluon_windows_backward"}
    assert hazards.keys() == {f"gluon_{way}" for way in PASSES} | windows
    for rung, row in hazards.items():
        places = {k: k.partition(" [")[0].rpartition(" ")[2] for k in row["accesses"]}
        reads = {k: n for k, n in row["accesses"].items() if k.startswith("Read")}
        # The report names the read of each hazard, or of several with one write at once
        single = sum(n for k, n in reads.items() if not k.endswith("]"))
        assert single <= row["errors"] <= sum(reads.values())
        told = {"roles_backward.py"} if rung.endswith("backward") else set()
        assert len({places[k] for k in reads}) == 1 + len(told)  # file:line
        files = {x.partition(":")[0] for x in places.values()}
        assert files == {f"{rung}.py"} | told
