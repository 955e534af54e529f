"""What the page `measured` claims of the bench, beside what `bench` measured."""

import importlib
import json
import statistics

import pytest
from draw.numbers import measured
from draw.tables.gpu import backward_now as now
from repository import ROOT

from tilewise.bench.cells import PASSES, geometric

_bench = importlib.import_module("draw.figures._bench")
FOUND = _bench.bench()
PAGE = (ROOT / "docs/en/gpu/measured.md").read_text("utf-8")


@pytest.mark.parametrize("way", PASSES)
def test_ours_is_ahead_of_cudnn_in_every_cell(way):
    assert min(measured.compared(way, "cudnn").values()) > 1


def test_fa4_is_slower_forward_and_faster_backward():
    means = [geometric(measured.compared(way, "fa4").values()) for way in PASSES]
    assert means[0] > 1 > means[1]
    lost = {c: x for c, x in measured.compared("forward", "fa4").items() if x < 1}
    assert [*lost] == [(16384, 128, False)] and min(lost.values()) > 0.99
    assert measured.fastest() == 19 and "lose 1 cell of 20" in PAGE


def test_the_lead_grows_with_the_length_over_cudnn_and_shrinks_over_fa4():
    by_n = measured.means("forward", "cudnn", 0)
    assert max(by_n, key=by_n.get) == 8192 and min(by_n, key=by_n.get) == 1024
    by_n = measured.means("forward", "fa4", 0)
    assert max(by_n, key=by_n.get) == 1024 and min(by_n, key=by_n.get) == 16384


def test_plain_triton_loses_to_flex_where_the_page_says():
    ratios = measured.compared("backward", "flex", _bench.PLAIN["backward"])
    assert [c for c, x in ratios.items() if x < 1] == [(1024, 128, False)]


def test_the_kernel_as_it_is_was_measured_without_fa4():
    """Ahead of cuDNN in every cell; what did not change moved by two percent."""
    ours = now.ratios(now.later(), _bench.TOP["backward"], "cudnn")
    assert len(ours) == 20 and min(ours.values()) > 1
    fa4 = [row for row in now.later() if row["kernel"] == "fa4"]
    assert fa4 and not any("ms" in row for row in fa4)
    for kernel in ("backward_split", "backward_descriptors", "flash", "flex"):
        runs = now.later(), FOUND["rows"]
        means = [geometric(now.ratios(x, kernel, "cudnn").values()) for x in runs]
        assert abs(means[0] / means[1] - 1) < 0.03


def test_the_host_is_measured_five_times_and_costs_what_pytorchs_does():
    assert len(FOUND["host_runs"]) == 5
    ours, theirs = (
        measured.host(x, "forward", grad=False) for x in ("flash_attention", "sdpa")
    )
    assert ours[0] / theirs[0] == pytest.approx(1, abs=0.05)
    assert all(told == statistics.median(times) for told, times in (ours, theirs))


def test_every_hazard_is_where_a_warp_reads_its_part():
    """Named at the kernel's beginning, and in the rungs of Gluon alone."""
    (path,) = (ROOT / "benchmarks/results").glob("*-sanitizer.json")
    rows = json.loads(path.read_text("utf-8"))["rows"]
    rungs = {row["rung"] for row in rows}
    assert len(rungs) == 10 and len(rows) == 3 * len(rungs) and path.name in PAGE
    hazards = {row["rung"]: row for row in rows if row["errors"]}
    assert {row["tool"] for row in hazards.values()} == {"racecheck"}
    assert hazards.keys() == {f"gluon_{way}" for way in PASSES}
    for row in hazards.values():
        reads = {k: n for k, n in row["accesses"].items() if k.startswith("Read")}
        assert sum(reads.values()) == row["errors"]
        assert len({k.rpartition(":")[2] for k in reads}) == 1  # a line of the source
