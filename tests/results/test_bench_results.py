"""What `python -m tilewise bench` wrote, and the tables and plots made from it."""

import importlib
import math

import pytest
from draw.modules import module

from tilewise.bench.cells import PASSES, RESULTS, cells, flops, geometric, named

_bench = importlib.import_module("draw.figures._bench")
bytes_ = importlib.import_module("draw.tables.gpu.rung_bytes")
FOUND = _bench.bench()
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
    lines = module("tables", "peak_memory").draw("en").splitlines()[3:]
    assert len({line.split("|", 2)[2] for line in lines}) > 3


@EACH
def test_means_are_of_all_cells(way):
    found = _bench.ratios(way, _bench.TOP[way], "cudnn")
    assert len(found) == 20
    mean = math.prod(found.values()) ** (1 / 20)
    assert geometric(found.values()) == pytest.approx(mean)
    shown = module("tables", f"speed_means_{way}").draw("en")
    assert f"| cuDNN | {mean:.2f} | {min(found.values()):.2f} |" in shown
