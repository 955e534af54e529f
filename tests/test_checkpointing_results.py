"""What was measured of checkpointing, and what the page says of it."""

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
cpu = importlib.import_module("tables.checkpointing_cpu")
counted = importlib.import_module("tables.checkpointing_counted")
figures = [importlib.import_module(f"figures.{x}") for x in (
    "kept_by_policy", "recomputed_share",
)]  # fmt: skip
PAGE = (ROOT / "docs/en/memory/checkpointing.md").read_text("utf-8")


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


@pytest.mark.parametrize("table", [cpu, counted])
def test_tables_have_the_same_numbers_in_both_languages(table):
    made = [re.findall(r"\d+(?:\.\d+)?", table.draw(x)) for x in ("en", "zh")]
    assert made[0] == made[1] and len(made[0]) > 20


@pytest.mark.parametrize("figure", figures)
def test_figures_have_the_same_numbers_in_both_languages(figure):
    made = [re.findall(r">([\d,.]+[kM]?)<", figure.draw(x)) for x in ("en", "zh")]
    assert made[0] == made[1] and len(made[0]) > 5


def test_the_page_links_the_file_that_its_table_shows():
    date = cpu.found()["date"]
    assert f"assets/results/cpu-{date}-checkpointing.json" in PAGE


def test_bars_are_the_units_of_the_page():
    drawn = figures[0].draw("en")
    bold = re.findall(r'class="tw-strong">(\d+)<', drawn)
    assert bold == ["32", "16", "7", "5", "2", "1"]
