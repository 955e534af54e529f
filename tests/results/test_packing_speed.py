"""What scripts/measure/varlen measured of packed documents, and the page's words."""

import importlib

import pytest
from draw.modules import module

from tilewise.bench.cells import PASSES
from tilewise.examples import packing_draw

varlen = importlib.import_module("draw.tables._varlen")
packed_tail = importlib.import_module("draw.tables.memory.packed_tail")

DATA = varlen.results()
LENGTHS, MEMORY = DATA["lengths"], DATA["memory"]
FIXED = packing_draw.blocks([1024] * 16, turned=True)


def both(name, than="gluon_varlen"):
    """How many times as long as another, forward and backward, in one list."""
    return [x for way in PASSES for x in varlen.longer(way, name, than).values()]


def test_claims_without_a_number():
    """At most a seventh; the matrix saves nothing; wrong by 64%."""
    assert min(both("padded")) >= 7
    for way in PASSES:
        short, long = (
            [x for (_, n, _), x in varlen.ratios(way).items() if n == size]
            for size in (1024, 16384)
        )
        assert max(short) < min(long)  # short documents lose most
        ms = varlen.tail(way, "sdpa with a mask")
        assert ms[128, True] == pytest.approx(ms[128, False], rel=0.01)
    wrong = [
        row["found"]["padded"]["wrong"]
        for row in DATA["rows"]
        if row["work"] == "tail" and not row["causal"]
    ]
    assert f"{wrong[0]:.0%}" == "64%" and len(wrong) == 2
    assert all(x > 0.6 for x in wrong)


def test_the_table_of_ways_has_the_measured_ms():
    """Each cell is looked up again in the file, not through the table's helper."""
    shown = [
        x.split("|")
        for x in module("tables", "packed_tail").draw("en").splitlines()[2:]
    ]
    for name, cells in zip(packed_tail.NAMES, shown, strict=True):
        right = {
            (row["pass"], row["causal"]): row["found"][name].get("ms")
            for row in DATA["rows"]
            if row["work"] == "tail" and row["d"] == 128
        }
        order = [(way, causal) for causal in (True, False) for way in PASSES]
        ms = [f"{right[at]:.2f}" if right[at] else "wrong" for at in order]
        gigabytes = f"{MEMORY[name] / 1e9:.2f}"
        assert [x.strip() for x in cells[2:-1]] == [*ms, gigabytes]


@pytest.mark.parametrize("lengths", [[1024] * 16, [2048] * 8, [1, 130, 4000]])
def test_both_ways_to_share_out_do_all_the_work(lengths):
    tiles = [-(-n // packing_draw.BLOCK) for n in lengths]
    right = packing_draw.HEADS * sum(n * (n + 1) // 2 for n in tiles)
    fixed = packing_draw.snake(packing_draw.blocks(lengths, turned=True))
    free = packing_draw.drawn(packing_draw.blocks(lengths))
    assert sum(fixed) == sum(free) == right
    assert max(free) <= right / packing_draw.PROGRAMS + max(tiles)  # Graham's bound
    assert len(fixed) == len(free) == packing_draw.PROGRAMS
