"""Both loop orders on an H200: what was counted, and what the cache model says."""

import functools
import importlib

import pytest
from draw.modules import module

from tilewise.trace import ORDERS

_counters = importlib.import_module("draw.tables._counters")
COUNTERS = _counters.DATA
L2 = COUNTERS["machine"]["l2_bytes"]


def label(row):
    tiles = f"{row['block_rows']}x{row['block_cols']}"
    return f"{row['what']} {row['heads']}, {row['n']}, {tiles}, {row['warps']}"


ORDERED = [x for x in COUNTERS["rows"] if x["what"] in ORDERS and x["n"] <= 1024]
ORDERED = {label(row): row for row in ORDERED}


@functools.cache
def counted(kernel):
    return _counters.counted(ORDERED[kernel])


@pytest.mark.few(1)
@pytest.mark.parametrize("kernel", ORDERED)
def test_our_kernels_on_an_h200(kernel):
    """Within its bounds; where these agree, within 5%."""
    row = ORDERED[kernel]
    asked, (least, most) = counted(kernel)
    l2, dram = _counters.measured(row)
    assert 0.95 * least <= dram <= 1.05 * most
    if least == most:
        assert abs(least - dram) < 0.05 * dram
    assert l2 < 1.002 * asked
    if row["what"] == "kv-outer" and row["n"] == 1024:
        assert l2 > 0.998 * asked  # a head is too large for L1


@pytest.mark.full
def test_where_the_bounds_differ():
    """The heads at work touch more than half of the L2 holds, and less than twice."""
    between = {}
    for kernel, row in ORDERED.items():
        least, most = counted(kernel)[1]
        side = row["programs_per_sm"] * COUNTERS["machine"]["sms"]
        touched = min(side, row["batch"] * row["heads"]) * row["n"] * (4 * row["d"] + 8)
        touched += touched * row["block_cols"] // row["n"]  # K_j and V_j, and ever new
        if row["what"] == "kv-outer":
            between[touched] = between.get(touched, False) or least < most
    for touched, differ in between.items():
        assert differ == (L2 / 2 < touched < L2)


def test_a_set_that_both_halves_read_is_kept_twice():
    """Read again and again, by all SMs or each its own part: what must come back."""
    missed = {True: {}, False: {}}
    for row in COUNTERS["reread"]:
        missed[row["shared"]][row["bytes"] / L2] = row["missed"]
    assert all(x < 0.01 for part, x in missed[True].items() if part < 0.48)
    assert all(x > 0.99 for part, x in missed[True].items() if part > 0.56)
    assert all(x < 0.01 for part, x in missed[False].items() if part < 0.6)
    assert all(x > 0.99 for part, x in missed[False].items() if part > 0.9)
    gradual = [x for part, x in missed[False].items() if 0.7 < part < 0.8]
    assert gradual and all(0.05 < x < 0.9 for x in gradual)  # which LRU never shows


@pytest.mark.parametrize("row", COUNTERS["rows"], ids=lambda row: row["what"])
def test_runs_agree_and_are_right(row):
    for key in ("dram_read", "dram_write", "l2_read", "l2_write", "l2_fabric"):
        assert len(row[key]) == COUNTERS["runs"]
    moved = [a + b for a, b in zip(row["dram_read"], row["dram_write"], strict=True)]
    few = row["batch"] == 1 and row["what"] == "kv-outer"  # a single wave of programs
    assert max(moved) <= (2 if few else 1.03) * min(moved)
    if row["what"] != "line-2":
        rounds = row["n"] / row.get("block_cols", row["n"])
        assert 0 < row["error"] < 1e-2 + 2**-9 * (rounds**0.5 - 1)


def test_line_2_is_what_the_ledger_says():
    row = _counters.row("line-2")
    written = row["batch"] * row["heads"] * row["n"] * (2 * row["d"] + 8)
    assert _counters.measured(row)[0] == pytest.approx(written, rel=0.001)


def test_the_table_has_a_row_for_each_kernel():
    lines = module("tables", "counters").draw("en").splitlines()
    assert len(lines) == 2 + len(_counters.SHOWN)
    assert "0.69" in lines[5] and "1.95" in lines[5] and "1.22" in lines[5]
