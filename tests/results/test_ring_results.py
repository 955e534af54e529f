"""What scripts/measure/ring/ring.py measured on GPUs."""

import importlib
from math import ceil

import pytest

from tilewise.ledger.ring import at_once, working_set

table = importlib.import_module("draw.tables.memory.ring_times")
memory = importlib.import_module("draw.tables.memory.ring_memory")
DATA, GROUPED = table.found(), "16 heads, 2 of keys"
ROWS = {(r["world"], r["way"], r["shape"], r["n"]): r for r in DATA["rows"]}
ALL, GQA = table.times(), table.times(GROUPED)
N = 131_072


def test_rows_follow_from_what_was_measured():
    right = {(c["world"], c["way"], c["shape"]) for c in DATA["checks"] if c["right"]}
    for (world, way, shape, n), row in ROWS.items():
        heads, kv_heads, d = DATA["shapes"][shape]
        assert (world, way, shape) in right
        assert row["min"] <= row["ms"] <= row["max"]
        assert row["tflops"] == pytest.approx(
            7 * n * (n + 1) * heads * d / row["ms"] / 1e9
        )
        if one := ROWS.get((1, "ring", shape, n)):
            assert row["ratio"] == one["ms"] / row["ms"]
        inputs = 2 * (heads + kv_heads) * n // world * d * 2  # q, k, v, do in bf16
        assert row["input_bytes"] == inputs < row["peak_bytes"]


def test_checks_were_passed():
    for check in DATA["checks"]:
        errors = check["error"].items()
        assert check["right"] and all(x <= check["allowed"][name] for name, x in errors)


def test_turns_and_overlap_are_as_the_page_says():
    forward, backward = ROWS[2, "ring", table.SHAPE, 16_384]["at_once"]
    assert (ceil(16 / forward), ceil(16 / backward)) == (2, 3)
    assert ROWS[2, "ring", GROUPED, 16_384]["at_once"] == [2, 2]
    assert ROWS[2, "ring", table.SHAPE, N]["at_once"][0] == 1  # 16 messages
    later = {
        n: ALL[2, "ring_first", n] / ALL[2, "ring", n] - 1
        for w, way, n in ALL
        if way == "ring_first"
    }
    assert max(later[n] for n in (65_536, N, 2 * N)) < 0.015 and max(later) == 2 * N


def test_memory_is_what_the_ledger_counts():
    share, one = 32_768, ROWS[1, "ring", table.SHAPE, N]["peak_bytes"]
    each = sum(working_set(share, share, 1, 128, 128, backward=True).values())
    kept = 8 * 16 * share * 128 * 2 + 16 * share * 4
    assert 16 * each > 2 * kept  # "more than twice"
    few = at_once(share, share, 16, 16, 128, 128, backward=True)
    assert 3.95 < one / (kept + few * each) < 4.05  # "four times"
    for n in (N, 2 * N):  # "1 to 2% below"
        assert 1.01 < memory.peaks()[2, "ring", n] / memory.counted(n) < 1.025


def test_milliseconds_are_shown_with_few_digits():
    shown = [table.say(x) for x in (6.27, 103.93, 1670.56, None)]
    assert shown == ["6.3", "103.9", "1671", "–"]


def test_memory_falls_as_one_over_the_number_of_gpus():
    most = memory.peaks()
    for n in (2**16, N, 2 * N, 4 * N):
        assert 0.5 <= most[2, "ring", n] / most[1, "ring", n] < 0.512
