"""How many blocks fit on an SM: NVIDIA's examples, and what a profiler reported."""

import json

import pytest
from repository import ROOT

from tilewise import hardware
from tilewise.ledger.occupancy import SM, block_shared, occupancy, resident

COUNTERS = ROOT / "benchmarks/results/h200-2026-11-20-counters.json"
ROWS = json.loads(COUNTERS.read_text("utf-8"))["rows"]
KERNELS = {
    (x["threads"], x["registers"], x["shared_memory_bytes"], x["programs_per_sm"])
    for x in ROWS
    if "programs_per_sm" in x
}


@pytest.mark.parametrize(("threads", "blocks", "share"), [(128, 12, 75), (320, 4, 62)])
def test_the_best_practices_guides_examples(threads, blocks, share):
    """37 registers per thread, in a file of 65,536; the guide rounds 62.5 up."""
    assert resident("A100", threads, 37, 0)["registers"] == blocks
    assert int(100 * occupancy("A100", threads, 37, 0)) == share


@pytest.mark.parametrize(("threads", "registers", "shared", "programs"), KERNELS)
def test_as_many_as_the_profiler_counted(threads, registers, shared, programs):
    assert min(resident("H200", threads, registers, shared).values()) == programs


def test_enough_different_kernels_were_counted():
    assert len(KERNELS) >= 9 and {x[-1] for x in KERNELS} == {1, 2, 3, 4}


def test_a_small_block_fills_an_sm_and_a_tiny_one_does_not():
    assert occupancy("H100", 128, 32, 0) == 1
    assert min(resident("H100", 32, 32, 0).values()) == SM["blocks"]["value"]
    assert occupancy("H100", 32, 32, 0) == 0.5


def test_what_a_block_may_ask_for():
    """163 KiB on an A100, 227 on the others, as CUDA's guide has it."""
    most = [block_shared(gpu) // 1024 for gpu in ("A100", "H100", "H200")]
    assert most == [163, 227, 227]
    for gpu, kib in zip(("A100", "H100", "H200"), most, strict=True):
        assert resident(gpu, 128, 128, kib * 1024)["shared"] == 1


def test_every_limit_has_a_source():
    for fact in SM.values():
        assert fact["source"] in hardware.SOURCES and fact["value"] > 0
    registers = hardware.GPUS["A100"]["levels"]["registers"]["per_sm"]["value"]
    assert registers == 4 * SM["registers"]["value"]


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ((2048, 32, 0), "threads must be at most 1024, not 2048"),
        ((128, 256, 0), "registers must be at most 255, not 256"),
        ((128, 32, 228 * 1024), "shared must be at most 232448, not 233472"),
    ],
)
def test_what_does_not_fit_is_named(needs, message):
    with pytest.raises(ValueError, match=message):
        resident("H100", *needs)
