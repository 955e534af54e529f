"""What the pages on the calculator and on what to call say in numbers."""

import json
import math

import pytest
from repository import ROOT

from tilewise import hardware, ledger
from tilewise.attention.dispatch import PACKED, TABLE
from tilewise.ledger import costs, layer

PAGE = (ROOT / "docs/en/memory/calculator.md").read_text("utf-8")
USE = (ROOT / "docs/en/gpu/use-it.md").read_text("utf-8")
BENCH = max((ROOT / "benchmarks/results").glob("h200-*-attention.json"))
N, D, HEADS = 16384, 128, 32


def longest():
    """How long a sequence fits."""
    room = layer.card("H100", "bf16")["memory"] // 2
    yield f"\\(C = {room:,}\\)".replace(",", "{,}")
    root = math.sqrt(room / (2 * HEADS) + D * D)
    first, _, last = (
        costs.longest(x, "forward", D, HEADS, HEADS, room)
        for x in ("standard", "flash1", "flash2")
    )
    assert int(root) - D == first
    yield f"the root is {root:,.1f} and \\(N\\) is {first:,}. FlashAttention-2 gets to"
    yield f"FlashAttention-2 gets to {last:,}."
    yield f"at the N = {last:,} that fits"
    seconds = 4 * last**2 * D * HEADS / hardware.roofs("H100")[0]
    yield f"take at least {seconds:.0f} seconds"


def kept():
    """What a layer keeps, and a model."""
    plain, _, flash = (
        2 * costs.kept(x, N, D, N, HEADS, HEADS) for x in costs.ALGORITHMS
    )
    yield f"keeps {plain / 2**30:.1f} GiB a layer"
    yield f"FlashAttention-2 {flash / 2**20:.0f} MiB."
    yield f"that is {32 * plain / 2**30:.0f} GiB against {32 * flash / 2**30:.0f} GiB"


def times():
    """The two ends, and where a measured kernel lies."""
    made = layer.account(N, D, layer.card("H100", "bf16"), heads=HEADS, rule="kernels")
    plain, flash = (made["algorithms"][x] for x in ("standard", "flash2"))
    yield f"moves {plain['bytes'] / 1e9:.1f} GB, which takes an H100"
    yield f"an H100 {1e3 * plain['seconds']:.1f} ms; its {plain['flops'] / 1e12:.2f} TF"
    yield f"TFLOP would take {1e3 * plain['compute_seconds']:.2f} ms"
    yield f"ridge of an H100 lies at {hardware.ridge('H100'):.0f}"
    yield f"memory-bound too, with {1e3 * flash['seconds']:.1f} ms"
    yield f"{flash['once']['bytes'] / 1e6:.0f} MB would cross"
    rate = 4.8 * flash["intensity"]
    yield f"and {flash['intensity']:.0f} FLOP a byte allow {rate:.0f} TFLOP/s"
    reached = max(
        x["tflops"]
        for x in json.loads(BENCH.read_text("utf-8"))["rows"]
        if (x["kernel"], x["pass"], x["n"], x["d"], x["causal"])
        == ("gluon_forward", "forward", N, D, False)
    )
    assert reached > rate
    yield f"[reached {reached:.0f}]"
    peak = hardware.roofs("H200")[0] / 1e12
    yield f"From {reached:.0f} to the {peak:.1f} TFLOP/s that this end allows, "
    yield f"this end allows, {100 * (1 - reached / peak):.0f}% is missing"
    tile = 2 * ledger.flash2_backward(N, D, 80, 128)["sram"] / 1024
    yield f"80 × 128, counts {tile:.0f} KiB of 227 in FlashAttention-2's column"
    assert 2 * layer.card("H100", "bf16")["sram"] == 227 * 1024


@pytest.mark.parametrize("group", (longest, kept, times), ids=lambda x: x.__name__)
def test_the_page_says_what_is_counted(group):
    missing = [words for words in group() if words not in PAGE]
    assert not missing


def test_which_kernels_are_called():
    """Three pairs in use and two more, 8 to 256 columns, files that can be read."""
    pairs = [{tuple(row[-2:]) for row in table} for table in (TABLE, PACKED)]
    assert [len(x) for x in pairs] == [3, 2]
    assert "Three pairs of kernels are in use, and two more for packed" in USE
    half = [row[3] for row in TABLE if row[0] <= (8, 9) <= row[1] and len(row[2]) > 1]
    assert f"16-bit tiles fit only up to \\(d\\) = {max(half)}." in USE
    files = (ROOT / "src/tilewise/kernels").glob("*.py")
    longest = max(len(x.read_text("utf-8").splitlines()) for x in files)
    assert f"the longest file has {longest} lines" in USE
