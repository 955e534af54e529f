"""What was tried on the Gluon kernels can be tried again; pages say what it gave."""

import pytest
import torch
from draw.figures._bench import newest
from draw.figures._plot import results
from draw.numbers import windows
from draw.numbers._shared import variant as speed
from measure.variants import _backward_variants as backward
from measure.variants import _forward_variants as forward
from measure.variants import _order_variants as order
from measure.variants import backward_walks as walks

from tilewise.kernels.gluon_windows import choose

CASES = [(m, name) for m in (forward, backward, order, walks) for name in m.VARIANTS]


@pytest.mark.parametrize("module, name", CASES, ids=lambda x: getattr(x, "__name__", x))
def test_a_variant_is_the_kernel_with_its_changes(module, name):
    base, text = module.text("base"), module.text(name)
    compile(base, "base", "exec")
    compile(text, name, "exec")
    option = module is forward and forward.VARIANTS[name]["tile"] or name == "ordered"
    assert (text == base) == bool(option)


def test_each_part_counts_where_the_page_says():
    """Snake order for causal blocks, the second Q for short walks, turns everywhere."""
    assert speed("forward-variants", "longest_first", d=128, causal=True) < 0.85
    short, whole = (speed("forward-variants", "one_q", **x) for x in ({"n": 1024}, {}))
    assert short < whole < 1
    cells = [(d, causal) for d in (64, 128) for causal in (False, True)]
    speeds = (speed("forward-variants", "no_turns", d=d, causal=c) for d, c in cells)
    turns = dict(zip(cells, speeds))
    assert max(turns, key=turns.get) == (128, False) and turns[128, False] < 0.995
    assert speed("forward-variants", "q_in_shared_memory") < 0.99
    assert abs(speed("forward-variants", "two_v") - 1) < 0.005
    for tried in ("held_back", "half_tiles", "polynomials"):
        assert speed("forward-variants", tried) < 1
    for d in (64, 128):
        assert 0.975 < speed("forward-variants", "row_sums_at_once", d=d) < 0.995


def test_rescaling_is_worth_leaving_out_at_64_alone():
    """By 2 % on average, nothing at 1k, most at 16k."""
    always, asked = "rescale_always", "rescale_asked"
    assert 0.975 < speed("forward-variants", always) < 0.985
    assert abs(speed("forward-variants", always, n=1024) - 1) < 0.01
    assert speed("forward-variants", always, n=16384) < 0.97
    assert 0.96 < speed("forward-variants", asked) < 1


def test_a_threshold_gains_less_than_its_error_costs():
    """8: faster at d = 128 alone, a fifth more error. 2: no faster, 7 % more error."""
    narrow, wide = (speed("forward-variants", "threshold_8", d=d) for d in (64, 128))
    assert narrow < 1 < 1.01 < wide < 1.02
    assert abs(speed("forward-variants", "threshold_2") - 1) < 0.005
    rows = results(newest("forward-variants").stem)["errors"]
    for errors in (x["errors"] for x in rows if x["times"] == 2):
        exact = errors["flash_attention_2"]
        assert errors["base"] < 1.01 * exact
        assert 1.15 * exact < errors["threshold_8"]
        assert 1.03 * exact < errors["threshold_2"] < 1.1 * exact


def pair(variant, run="bounds", **cells):
    return [speed(f"backward-{run}", variant, d=d, **cells) for d in (64, 128)]


def test_only_the_early_l_helps():
    """Within one percent: a second copy of the kernel, and what is said to be equal."""
    for run in ("bounds", "window"):
        assert all(abs(x - 1) < 0.01 for x in pair("base2", run))
    others = ("late", "named_all", "named_ds", "pdl")
    assert all(x < 1.01 for name in others for x in pair(name))
    assert pair("early_lse")[1] > 1.02 and pair("early_lse")[0] < 1


def test_the_window_gains_nothing():
    """Less than the early L alone, wherever it has its room."""
    assert all(abs(x - 1) < 0.01 for x in pair("window", "window"))
    early = pair("early_lse_128", "window")[1]
    for name in ("", "_pin_128", "_after", "_wide", "_soon"):
        assert pair(f"window_early{name}", "window")[1] < early
    assert max(pair("window_early_soon", "window")) < 0.99


def test_the_bounds_are_for_short_sequences():
    """At 16k neither the additions nor the small kernels cost more than the noise."""
    for bound in ("no_add", "main_only"):
        assert abs(speed("backward-bounds", bound, n=16384) - 1) < 0.015
        assert speed("backward-bounds", bound, n=1024) > 1.04


def test_the_poll_pays_once_l_is_early():
    """It costs something at d = 64, at first nothing at 128, and then it gains."""
    narrow, wide = pair("no_pin", "variants")
    assert narrow > 1.015 and abs(wide - 1) < 0.01
    assert pair("early_lse")[1] / pair("early_lse_no_pin")[1] > 1.01


def test_going_on_pays_for_short_walks_and_half_of_k_with_a_mask():
    """The rest is noise: at 16k, where d = 64, and without a mask."""
    assert speed("backward-walks", "one_walk", n=1024) < 0.93
    assert abs(speed("backward-walks", "one_walk", n=16384, d=64) - 1) < 0.01
    assert 0.97 < speed("backward-walks", "one_walk", n=16384, d=128) < 1
    assert speed("backward-walks", "whole_k", d=128, causal=True) < 0.985
    assert abs(speed("backward-walks", "half_k", d=128, causal=False) - 1) < 0.01


def test_wide_windows_cost_what_their_tiles_suggest():
    """Ours within 16 % from 2048 keys on; every kernel more, the narrower they are."""
    ms = windows.times()
    cells = {x[:3] for x in ms if x[0] != "sinks"}
    for cell in cells:
        widths = sorted(x[3] for x in ms if x[:3] == cell and x[3] < windows.N)
        over = [ms[*cell, x] / windows.expected(ms, cell, x) for x in widths]
        assert over == sorted(over, reverse=True), cell
        if cell[0] == "ours":
            assert over[widths.index(2048)] < 1.16 and over[widths.index(4096)] < 1.10
    assert len(cells) == 16


def test_under_a_window_the_walks_alone_cost_what_their_tiles_suggest():
    """Down to 1024 keys, within 15 %; what remains are the small kernels."""
    us = windows.kernel_times()
    for name, d, window in us:
        if name == "main_kernel" and 1024 <= window < windows.N:
            cell = "ours", "backward", d
            hope = windows.expected(
                {(*cell, windows.N): us[name, d, windows.N]}, cell, window
            )
            assert us[name, d, window] / hope < 1.15, (d, window)
            small = us["rows_kernel", d, window] + us["dq_kernel", d, window]
            assert abs(us["all", d, window] - us[name, d, window] - small) < 8


def test_narrow_windows_are_counted_in_the_tiles_that_the_kernel_takes():
    for d, most in windows.FEW.items():
        q = torch.empty(1, 1, windows.N, d, device="meta")
        assert [choose(q, seen, {})[1] for seen in (most, most + 1)] == [64, 128]


def test_windows_in_gluon_are_faster_than_others():
    """In all cells than Triton's and FlexAttention's, in 18 of 24 than FA4's."""
    ms = windows.times()
    over = {x: ms[x] / ms["ours", *x[1:]] for x in ms if x[3] < windows.N}
    assert all(over[x] > 1.05 for x in over if x[0] in ("triton", "flex"))
    leads = [over[x] > 1 for x in over if x[0] == "fa4"]
    assert (sum(leads), len(leads)) == (18, 24)
