"""What `python -m tilewise bench` wrote, and the tables and plots made from it."""

import importlib
import math
import re

import pytest
from draw.modules import module

from tilewise.bench.cells import PASSES, RESULTS, cells, flops, geometric, named

_bench = importlib.import_module("draw.figures._bench")
bytes_ = importlib.import_module("draw.tables.gpu.rung_bytes")
FOUND = _bench.bench()
TABLES = ["ladder", "ladder_backward", "peak_memory", "unaligned", "host_time"]
TABLES += ["two_cards"]
TABLES += [f"speed_means_{way}" for way in PASSES] + ["speed_error", "rung_bytes"]
TABLES += [f"speed_{way}_{d}" for way in PASSES for d in (64, 128)]
FIGURES = ["speed_forward", "speed_backward", "memory_by_n", "kernel_roofline"]
EACH = pytest.mark.parametrize("way", PASSES)


def rows(way):
    return [row for row in FOUND["rows"] if row["pass"] == way]


@EACH
def test_every_cell_has_every_kernel(way):
    taking_part = {x for group in FOUND["names"][way].values() for x in group}
    for shape in cells():
        cell = named(shape)
        here = [r for r in rows(way) if cell.items() <= r.items()]
        names = [row["kernel"] for row in here]
        assert taking_part | {"flash_attention"} == set(names)
        assert len(names) == len(set(names))
        ours = {*FOUND["names"][way]["rungs"], "flash_attention"}
        assert all("ms" in row for row in here if row["kernel"] in ours)
    assert not any("refused" in row for row in FOUND["rows"])


@EACH
def test_rows_follow_from_what_was_measured(way):
    limits = {
        tuple(c[k] for k in ("n", "d", "causal")): c["allowed"]
        for c in FOUND["cells"]
        if c["pass"] == way
    }
    for row in rows(way):
        if "ms" in row:
            shape = row | {"n_k": row["n"]}
            assert row["min"] <= row["ms"] <= row["max"] and row["rounds"] >= 3
            speed = flops(shape, way) / row["ms"] / 1e9
            assert row["tflops"] == pytest.approx(speed)
            assert row["error"].keys() == set(RESULTS[way])
            allowed = limits[row["n"], row["d"], row["causal"]]
            assert all(row["error"][name] <= allowed[name] for name in allowed)


def test_the_ledger_is_what_moved():
    found = bytes_.rows()
    for kernel in ("naive", "fa1_order"):
        counted, _, dram = found[kernel]
        assert abs(dram / counted - 1) < 0.02


def test_memory_is_linear():
    """At 16k at most 1% of one matrix of scores beyond inputs and results, forward."""
    for row in FOUND["memory"]:
        if row["n"] == 16384 and row["kernel"] == "flash_attention":
            extra = row["peak_bytes"] - row["result_bytes"]
            assert (
                extra
                <= (0.01 if row["pass"] == "forward" else 0.04) * row["scores_bytes"]
            )


def test_the_table_of_memory_shows_each_kernels_own():
    lines = (
        importlib.import_module("draw.tables.gpu.peak_memory")
        .draw("en")
        .splitlines()[3:]
    )
    assert len({line.split("|", 2)[2] for line in lines}) > 3


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_the_same_numbers_in_both_languages(name):
    made = [module("tables", name).draw(x) for x in ("en", "zh")]
    numbers = [re.findall(r"\d+(?:\.\d+)?", text.split("\n", 2)[2]) for text in made]
    assert numbers[0] == numbers[1] and len(numbers[0]) > 2
    bars = {line.count("|") for text in made for line in text.split("\n")}
    assert len(bars) == 1


@pytest.mark.parametrize("name", FIGURES)
def test_plots_have_the_same_numbers_in_both_languages(name):
    figure = module("figures", name)
    texts = [re.findall(r">([\d,.]+k?)<", figure.draw(lang)) for lang in ("en", "zh")]
    assert texts[0] == texts[1] and len(texts[0]) > 5


@EACH
def test_means_are_of_all_cells(way):
    found = _bench.ratios(way, _bench.TOP[way], "cudnn")
    assert len(found) == 20
    mean = math.prod(found.values()) ** (1 / 20)
    assert geometric(found.values()) == pytest.approx(mean)
    shown = module("tables", f"speed_means_{way}").draw("en")
    assert f"| cuDNN | {mean:.2f} | {min(found.values()):.2f} |" in shown
