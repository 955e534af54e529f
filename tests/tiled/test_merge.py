"""Merging (o, L) of splits of the keys: against one pass, the monoid's laws."""

import itertools
import math
import re

import pytest
import torch
from torch.testing import assert_close

from tilewise import softmax
from tilewise.flash2 import flash2_forward
from tilewise.merge import merge, merge_into, split_forward
from tilewise.worked_example import SCALE, K, O, Q, V

from .._oracle import assert_as_good, attend
from ..attention._attention_cases import case

TINY = {"rtol": 0, "atol": 1e-12}


def test_splits_equal_plain_attention_whatever_their_number():
    for seed in range(100):
        (q, k, v, _), blocks, ours, plain = case(seed, most=16)
        expected = attend(q, k, v, **plain)
        for splits in (1, 2, 3, 7, 20):
            found = split_forward(q, k, v, splits, *blocks, **ours)
            assert_close(found, expected, **TINY)


def test_one_query_against_a_long_cache():
    torch.manual_seed(0)
    q, k = torch.randn(2, 8, 1, 16), torch.randn(2, 2, 1001, 16)
    v = torch.randn(2, 2, 1001, 24)
    wide = [x.double() for x in (q, k, v)]
    found = split_forward(q, k, v, 6, 1, 64, causal=True)
    assert_as_good(found, attend(*wide, causal=True), attend(q, k, v))


def test_half_precision_is_as_close_as_plain_pytorch():
    torch.manual_seed(1)
    for dtype in (torch.float16, torch.bfloat16):
        q, k, v = (torch.randn(1, 2, n, 32).to(dtype) for n in (3, 200, 200))
        exact = attend(*(x.double() for x in (q, k, v)))
        o, lse = split_forward(q, k, v, 4, 3, 32)
        assert o.dtype == dtype and lse.dtype == torch.float32
        assert_as_good((o, lse), exact, attend(q, k, v), (v.abs().max().item(), 1))


def test_the_running_example_in_two_splits():
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V))
    for splits in (1, 2, 3, 4, 9):
        o, lse = split_forward(q, k, v, splits, 2, 2, scale=SCALE)
        assert_close(o, torch.tensor(O, dtype=torch.float64), **TINY)
        units = torch.tensor([0.0, 1, 2, 2], dtype=torch.float64)
        assert_close(lse, SCALE * units + math.log(9 / 4), **TINY)


def parts_of(q, k, v, edges):
    """(o, lse) of the keys between each two edges."""
    pairs = itertools.pairwise(edges)
    return [flash2_forward(q, k[a:b], v[a:b], 4, 3) for a, b in pairs]


def stacked(parts):
    return [torch.stack(x) for x in zip(*parts, strict=True)]


def test_any_order_and_any_nesting():
    torch.manual_seed(2)
    q, k, v = (torch.randn(n, 4, dtype=torch.float64) for n in (5, 12, 12))
    parts = parts_of(q, k, v, (0, 1, 5, 12))
    expected = flash2_forward(q, k, v, 5, 12)
    for order in itertools.permutations(parts):
        assert_close(merge(*stacked(order)), expected, **TINY)
    inner = merge(*stacked(parts[:2]))
    assert_close(merge(*stacked([inner, parts[2]])), expected, **TINY)


def test_is_the_rule_for_plain_states():
    torch.manual_seed(3)
    o, lse = torch.randn(2, 6, 3, dtype=torch.float64), torch.randn(2, 6).double()
    found = merge(o, lse)
    for r in range(6):
        a, b = ((lse[s, r].item(), 1, o[s, r].tolist()) for s in (0, 1))
        m, l, expected = softmax.merge(a, b)
        assert_close(found[0][r], torch.tensor(expected, dtype=torch.float64), **TINY)
        assert abs(found[1][r].item() - (m + math.log(l))) < 1e-12


def test_splits_without_keys_count_nothing():
    torch.manual_seed(4)
    o, lse = torch.randn(3, 5, 4), torch.randn(3, 5)
    o[1], lse[1] = 0, -math.inf
    assert_close(merge(o, lse), merge(o[[0, 2]], lse[[0, 2]]))
    nothing = merge(torch.zeros(3, 5, 4), torch.full((3, 5), -math.inf))
    assert (nothing[0] == 0).all() and (nothing[1] == -math.inf).all()


def test_large_and_small_lse_neither_overflow_nor_vanish():
    o = torch.tensor([[[1.0]], [[3.0]]])
    for shift in (-1000.0, 1000.0):
        found, lse = merge(o, torch.full((2, 1), shift))
        assert found.item() == 2 and abs(lse.item() - shift - math.log(2)) < 1e-4


def test_one_row_without_an_axis_of_rows():
    o, lse = torch.randn(3, 4), torch.randn(3)
    found, rows = merge(o, lse), merge(o[:, None], lse[:, None])
    assert_close(found, (rows[0][0], rows[1][0]))


@pytest.mark.parametrize("splits", [0, -1, 2.0])
def test_splits_that_cannot_be_are_named(splits):
    x = torch.ones(4, 2)
    with pytest.raises(ValueError, match=f"splits must be .* at least 1, not {splits}"):
        split_forward(x, x, x, splits, 2, 2)


@pytest.mark.parametrize(
    "o, lse", [((2, 5, 4), (2, 4)), ((4,), ()), ((0, 5, 4), (0, 5))]
)
def test_shapes_that_do_not_fit_are_named(o, lse):
    shapes = re.escape(f"o {o}, lse {lse}")
    with pytest.raises(ValueError, match=rf"o must be \(splits, ..., d_v\).*{shapes}$"):
        merge(torch.ones(o), torch.ones(lse))


def test_two_in_place_equal_the_merge_of_any_number():
    torch.manual_seed(3)
    q, k, v = (torch.randn(n, 4, dtype=torch.float64) for n in (5, 12, 12))
    o, lse = flash2_forward(q, k[:2], v[:2], 4, 3)
    for a, b in ((2, 7), (7, 12)):
        merge_into(o, lse, *flash2_forward(q, k[a:b], v[a:b], 4, 3))
        assert_close((o, lse), flash2_forward(q, k[:b], v[:b], 5, 12), **TINY)


def test_two_in_place_where_one_outweighs_the_other():
    """Scores of 10⁴ and a part that saw no key: no overflow, and weights 1 and 0."""
    for ahead in (1e4, -1e4, -math.inf):
        o, lse = torch.ones(3, 2), torch.full((3,), 5e3)
        merge_into(o[1:], lse[1:], torch.full((2, 2), 7.0), lse[1:] + ahead)
        expected = [1.0, *[7.0 if ahead > 0 else 1.0] * 2]
        assert o.tolist() == [[x, x] for x in expected]
        assert lse.tolist() == [5e3, *[5e3 + max(ahead, 0)] * 2]


def test_in_place_a_large_log_sum_exp_leaves_no_rounding_in_o():
    """Weights sum to 1 however large L is: equal values stay what they are."""
    o, lse = torch.ones(1000, 1), torch.linspace(1e3, 1e5, 1000)
    merge_into(o, lse, torch.ones(1000, 1, dtype=torch.bfloat16), lse - 0.3)
    assert o.equal(torch.ones(1000, 1))
