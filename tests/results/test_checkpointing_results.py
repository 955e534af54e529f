"""What was measured of checkpointing, and the figure of what is kept."""

import importlib
import re

import pytest
from draw.modules import module

cpu = importlib.import_module("draw.tables.memory.checkpointing_cpu")
gpu = importlib.import_module("draw.tables.memory.checkpointing_gpu")


def test_the_file_holds_every_pair_at_every_n():
    rows = cpu.found()["rows"]
    names = {(r["attention"], r["policy"], r["n"]) for r in rows}
    assert len(rows) == len(names) == 14 * 2
    for row in rows:
        for key in ("peak_bytes", "seconds"):
            assert row[key]["min"] <= row[key]["median"] <= row[key]["max"]


def test_less_kept_is_a_lower_peak():
    """Between policies that differ by more than the spread of three runs."""
    peak = {way: x[1] for way, x in cpu.measured().items()}
    assert peak["standard", "none"] > 3 * peak["ours", "none"]
    assert peak["ours", "none"] > 1.3 * peak["ours", "mlp"]
    assert peak["ours", "mlp"] > peak["ours", "apart"]
    assert peak["ours", "none"] > 1.7 * peak["ours", "block"]


def test_a_peak_is_above_what_is_kept():
    for row in cpu.found()["rows"]:
        assert row["peak_bytes"]["median"] > row["kept_bytes"]


def ours(n):
    """[(policy, row, the row with all kept)] of one N, without standard attention."""
    found = gpu.rows(n)
    ways = [way for way in gpu.WAYS if way[0] == "ours"]
    return [(way[1], found[way], found["ours", "none"]) for way in ways]


def test_seconds_follow_flops_where_a_step_is_long():
    for n in (16384, 32768, 65536):
        for _, row, base in ours(n):
            flops, time = gpu.ratios(row, base)
            assert time == pytest.approx(flops, rel=0.021)
    for n in (4096, 8192, 16384, 32768, 65536):
        assert gpu.ratios(ours(n)[-1][1], ours(n)[0][1])[1] == pytest.approx(1.25, 0.01)


def test_memory_on_the_gpu_is_the_count_and_a_few_units():
    for n in (gpu.N, gpu.LONG):
        for _, row, _ in ours(n):
            more = row["peak_bytes"] - gpu.counted(row)
            assert 0.01 < more / gpu.counted(row) < 0.12
            assert 3 < more / (2 * n * gpu.found()["model"]["embed_dim"]) < 7


def test_bars_are_the_units_of_the_page():
    drawn = module("figures", "kept_by_policy").draw("en")
    bold = re.findall(r'class="tw-strong">(\d+)<', drawn)
    assert bold == ["32", "16", "7", "5", "2", "1"]
