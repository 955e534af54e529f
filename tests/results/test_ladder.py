"""The kernel ladder's pages: bytes, schedules and instruction counts, recomputed."""

import importlib
import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest
from draw.figures import _bench
from draw.figures.gpu import first_rungs, longest_first, two_in_flight
from draw.tables import _rungs
from draw.tables.gpu import ladder_instructions, ladder_tiles
from repository import ROOT

from tilewise.hardware import GPUS
from tilewise.ledger.tiles import visits

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="triton is for Linux only")

LOOPS = sorted((ROOT / "benchmarks/results").glob("cpu-*-loops.json"))
TILES = ("causal", "descriptors")  # whose
WAYS = tuple(two_in_flight.WAYS)


def test_narrower_tiles_hold_as_much_of_a_window():
    """Where its edges fall on borders of tiles; elsewhere they hold less."""
    n, (rows, cols, *_) = 16384, _rungs.tile("windows")
    held = {
        width: [
            visits(n, n, rows, x, True, (width - 1, 0))[2] for x in (cols, cols // 2)
        ]
        for width in (64, 200, 1024)
    }
    assert held[64][0] == held[64][1] and held[1024][0] == held[1024][1]
    assert held[200][0] > held[200][1] and rows == cols == 64


@LINUX
def test_tiles_are_those_of_the_rungs():
    for rung in _rungs.RUNGS:
        table = importlib.import_module(f"tilewise.kernels.{rung}").TILES
        for d in (64, 128, 256):
            assert _rungs.tile(rung, d) == table[min(x for x in table if x >= d)]


def test_bytes_asked_for_are_the_loops():
    h, n, d = 64, 4096, 128
    assert _rungs.asked("naive") == h * 2 * (4 * n * n + 4 * n * d)
    cols = _rungs.tile("fa1_order")[1]
    for kept in (2, 4):
        row = 2 * d + 2 * (kept * d + 8)  # Q in; O, ℓ and m in and out
        once = n * (kept * d + 8) + 2 * n * d * 2  # line 2; K and V
        assert _rungs.asked("fa1_order", kept=kept) == h * (n // cols * n * row + once)
    for rung in ("fa2_order", "exp2", "causal", "descriptors"):
        rows = _rungs.tile(rung)[0]
        blocks, once = n // rows, n * (4 * d + 4)  # Q, O and L
        assert _rungs.asked(rung) == h * (blocks * 2 * n * d * 2 + once)
    rows, cols, *_ = _rungs.tile("causal")
    seen = sum(-(-(i + rows) // cols) * cols for i in range(0, n, rows))
    assert _rungs.asked("causal", causal=True) == h * (seen * 2 * d * 2 + once)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("d", [64, 128, 256])
def test_nothing_starts_before_what_it_waits_for(way, d):
    found = two_in_flight.schedule(way, d)
    consumers, ahead = two_in_flight.WAYS[way]
    assert len([key for key in found if key[1] == "S"]) == 32 * consumers
    for (who, step, j), (start, end) in found.items():
        if step != "turn":
            assert end - start == two_in_flight.work(d)[step]
        before = {"P": ("S", j), "O": ("P", j), "S": ("O", j - 1 - ahead)}
        if step in before and (who, *before[step]) in found:
            assert start >= found[who, *before[step]][1]
    for steps in ("SO", "P"):  # a unit does one thing at a time
        spans = sorted(span for key, span in found.items() if key[1] in steps)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))


def test_shares_of_the_tensor_cores_are_those_of_the_formulas():
    for d in (64, 128, 256):
        product, exp = (two_in_flight.work(d)[x] for x in "SP")
        share = {way: two_in_flight.busy(way, d, tiles=1000) for way in WAYS}
        both = 2 * product
        assert share["waits"] == pytest.approx(both / (both + exp))
        flight = both / (product + max(product, exp))
        assert share["flight"] == pytest.approx(flight, rel=0.01)
        assert share["turns"] == pytest.approx(min(1, both / exp), rel=0.01)


def test_second_consumer_comes_half_a_tile_later():
    found = two_in_flight.schedule("turns")
    order = sorted((span, key[:2]) for key, span in found.items() if key[1] in "SO")
    pairs = [who for _, (who, step) in order if step == "S"]
    assert pairs == [0, 1] * 32


def test_first_rungs_bytes_and_rates():
    per, times = first_rungs.rates(), first_rungs.times()
    assert times["s"] * per["hbm"] == 128 * 128 * 2
    assert times["qo"] * per["hbm"] == 128 * 128 * 2 + 128 * 128 * 4 + 128 * 8
    assert times["o"] * per["hbm"] == 128 * 128 * 4 + 128 * 8
    assert times["kv"] * per["l2"] == 2 * 128 * 128 * 2
    assert times["product"] == pytest.approx(2 * 128**3 / 4096, rel=1e-3)


def test_longest_first_is_never_longer():
    both = longest_first.orders()
    ends = {name: max(x[3] for x in found) for name, found in both.items()}
    work = sum(range(1, longest_first.BLOCKS + 1))
    assert ends["last"] == work / longest_first.PROCESSORS < ends["first"]
    for found in both.values():
        assert sorted(x[0] for x in found) == list(range(longest_first.BLOCKS))


def test_descriptors_free_registers_and_the_tile_does_the_rest():
    tile = {(d, x): [*ladder_tiles.cells(d, x)] for d in (64, 128) for x in TILES}
    assert all(a[0] >= b[0] and a[1] >= b[1] for a, b in tile.values())
    assert all(x[1] == 0 for x in tile[128, "descriptors"])
    score = {key: [float(x[2]) for x in pair] for key, pair in tile.items()}
    costs = score[128, "descriptors"][0] - score[128, "causal"][0]
    saves = score[128, "descriptors"][0] - score[128, "descriptors"][1]
    assert saves == pytest.approx(costs, abs=0.5)  # "which the descriptors save again"
    step = score[64, "causal"][0] - score[64, "descriptors"][1]
    assert score[64, "descriptors"][0] - score[64, "descriptors"][1] < step / 5


def test_what_descriptors_ask_of_l2_takes_a_millisecond():
    rate, sms = first_rungs.rates()["l2"], GPUS["H200"]["sms"]["value"]
    for clock in (1.83e9, 1.98e9):  # the stated one, and the highest
        seconds = _rungs.asked("descriptors") / (rate * sms * clock)
        assert seconds == pytest.approx(1.0e-3, rel=0.1)


def test_gluon_has_seven_instructions_a_score():
    for d, most in ((64, 6.5), (128, 7.1)):
        row = ladder_instructions.loop("gluon_forward", 0, d)
        assert row["scores"] == 64 and row["spills"] == 0
        assert round(ladder_instructions.per_score(row), 1) <= most


def gain(rung, before, d, causal=None):
    speeds = _bench.ratios("forward", rung, before, d)
    return _bench.geometric([x for k, x in speeds.items() if causal in (None, k[2])])


def test_what_the_pages_say_of_the_bench():
    speed = {key[1:]: x for key, x in _bench.tflops().items() if key[0] == "forward"}
    seconds = 64 * 4 * 4096**2 * 128 / speed["descriptors", 4096, 128, False] / 1e12
    assert f"{1e3 * seconds:.2f}" == "1.12"  # milliseconds, as the page says
    long = [speed[name, 16384, 128, False] for name in ("fa1_order", "naive")]
    assert long[0] < long[1] / 5  # falls behind as heads become few
    for d in (64, 128):
        assert gain("fa1_order", "naive", d) < 1
        steps = [gain(*pair[::-1], d) for pair in pairwise(_rungs.RUNGS)]
        assert max(steps) == gain("fa2_order", "fa1_order", d)
        assert gain("causal", "exp2", d, True) == pytest.approx(2, rel=0.1)
        assert gain("causal", "exp2", d, False) > 1
        assert gain("gluon_forward", "descriptors", d) > 1
    assert gain("exp2", "fa2_order", 64) > gain("exp2", "fa2_order", 128)
    mean = {x: _bench.mean("forward", x) for x in ("descriptors", "flash", "flex")}
    assert mean["descriptors"] > max(mean["flash"], mean["flex"])


@pytest.mark.full
@LINUX
def test_instruction_counts_are_those_of_the_compiler():
    import triton

    told = json.loads(LOOPS[-1].read_text("utf-8"))
    if told["machine"]["triton"] != triton.__version__:
        pytest.skip(f"counted with triton {told['machine']['triton']}")
    code = "import json\nfrom measure.ladder import loops\n"
    code += "print(json.dumps([*loops.rows()]))"
    env = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "scripts",
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == told["rows"]
