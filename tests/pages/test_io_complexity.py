"""What the page on IO complexity claims beyond single numbers."""

import importlib

import pytest

from tilewise import ledger
from tilewise.ledger import layer

page = importlib.import_module("draw.numbers.io_complexity")
counters = page.counters


def test_the_example_and_its_break_even():
    """112 against 96, by tiles that belong to an M from 9 to 16."""
    flash1, standard = ledger.flash1_forward(4, 2, 2, 2), ledger.standard_forward(4, 2)
    assert (page.moved(flash1), page.moved(standard)) == (112, 96)
    assert page.moved(ledger.flash2_forward(4, 2, 2, 2)) == 52
    fits = [m for m in range(1, 99) if ledger.block_sizes(m, 2)[1] == 2]
    assert (fits[0], fits[-1]) == (9, 16)


def test_real_sram_lies_between_two_head_dimensions():
    for card in ("A100", "H100"):
        assert 3 * 128**2 < layer.card(card, "bf16")["sram"] < 3 * 256**2


def test_keys_outside_reach_l2_to_the_byte_in_five_of_six_runs():
    same = 0
    for kernel in (page.NARROW, page.WIDE):
        row = counters.row(*kernel)
        asked = round(counters.counted(row)[0])
        runs = zip(row["l2_read"], row["l2_write"], strict=True)
        same += sum(read + write == asked for read, write in runs)
    assert same == 5


@pytest.mark.full
def test_keys_outside_reach_l2_to_two_millionths():
    for kernel in (("kv-outer", 64, 64, 4), page.NARROW, page.WIDE):
        row = counters.row(*kernel)
        asked = round(counters.counted(row)[0])
        for run in zip(row["l2_read"], row["l2_write"], strict=True):
            assert abs(asked - sum(run)) < 2e-6 * asked


@pytest.mark.full
def test_the_model_is_right_where_the_set_is_far_from_the_size_of_l2():
    """All rows of the table but one: off by at most 0.2 %."""
    kernels = ("standard",), ("kv-outer", 64, 64, 4), page.NARROW
    for kernel in (*kernels, ("q-outer", 64, 64, 4), page.OURS):
        row = counters.row(*kernel)
        (predicted,) = {*counters.counted(row)[1]}
        assert abs(predicted / counters.measured(row)[1] - 1) < 0.0025


def test_a_quarter_is_answered_before_l2_with_queries_outside():
    heads = set()
    for kernel in (("q-outer", 64, 64, 4), page.OURS):
        row = counters.row(*kernel)
        stayed = 1 - counters.measured(row)[0] / counters.counted(row)[0]
        assert 0.2 < stayed < 0.3
        heads.add(row["programs_per_sm"] * page.SMS * kernel[1] // page.N)
    assert len(heads) == 1


def test_wide_tiles_move_more_than_twice_as_much_and_a_third_of_narrow_ones():
    wide = page.dram(*page.WIDE)
    assert wide > 2 * page.dram(*page.OURS)
    assert 0.31 < wide / page.dram(*page.NARROW) < 0.35
    assert counters.row(*page.EIGHT_WARPS)["programs_per_sm"] == 1
