"""Formats against torch.finfo and exact fractions, rounding against brute force."""

import random
from fractions import Fraction

import pytest
import torch

from tilewise import rounding
from tilewise.rounding import DTYPES, FORMATS, Products, rounded
from tilewise.standard import standard_forward


@pytest.mark.parametrize("name", DTYPES)
def test_formats_are_those_of_pytorch(name):
    info = torch.finfo(DTYPES[name])
    assert rounding.roundoff(name) == info.eps / 2
    assert rounding.largest(name) == info.max
    assert rounding.smallest(name) == info.tiny
    assert 1 + sum(FORMATS[name]) == info.bits


def test_tf32_has_the_range_of_fp32_and_the_precision_of_fp16():
    assert rounding.smallest("tf32") == rounding.smallest("fp32")
    assert rounding.roundoff("tf32") == rounding.roundoff("fp16")
    assert rounding.largest("bf16") < rounding.largest("tf32") < 2.0**128


def nearest(x, fraction):
    """x to the nearest multiple of its binade's spacing, ties to even, exactly."""
    x, gap = Fraction(x), Fraction(2) ** -fraction
    while abs(x) < 2**fraction * gap:
        gap /= 2
    while abs(x) >= 2 ** (fraction + 1) * gap:
        gap *= 2
    return float(round(x / gap) * gap)  # Python rounds ties to even


def test_tf32_rounds_to_the_nearest_and_ties_to_even():
    rng = random.Random(0)
    ties = [1 + (2 * n + 1) * 2.0**-11 for n in range(8)]
    xs = [rng.gauss(0, 1) * 2.0 ** rng.randint(-60, 60) for _ in range(2000)] + ties
    xs = torch.tensor(xs + [-x for x in ties])  # in fp32
    want = [nearest(x, 10) for x in xs.tolist()]
    assert rounded(xs, "tf32").tolist() == want


def test_special_values_stay():
    x = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 1.0, 2.0**-149])
    kept = rounded(x, "tf32")
    assert torch.equal(kept[:5], x[:5]) and kept[5] == 0
    assert torch.equal(kept[:2].signbit(), torch.tensor([False, True]))
    assert rounded(torch.tensor(torch.nan), "tf32").isnan()
    assert rounded(torch.tensor(70000.0), "fp16") == torch.inf


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rounding_keeps_dtype_and_stays_within_u(name, dtype):
    torch.manual_seed(0)
    x = torch.randn(1000, dtype=dtype)
    y = rounded(x, name)
    assert y.dtype == dtype and torch.equal(rounded(y, name), y)
    assert ((x.double() - y.double()).abs() <= rounding.roundoff(name) * x.abs()).all()


@pytest.mark.parametrize("name", ["tf32", "bf16", "fp16"])
def test_products_round_their_operands_and_nothing_else(name):
    torch.manual_seed(0)
    a, b = torch.randn(2, 8, 8)
    want = rounded(a, name) @ rounded(b, name)
    with Products(name):
        for found in (a @ b, torch.matmul(a, b), a.matmul(b)):
            assert torch.equal(found, want)
        assert torch.equal(a + b, b + a) and not torch.equal(a, rounded(a, name))
    assert not torch.equal(a @ b, want)


def test_products_reach_into_other_functions():
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 16, 8)
    with Products("bf16"):
        o, p = standard_forward(q, k, v)
    q, k, v = (rounded(x, "bf16") for x in (q, k, v))
    want = torch.softmax(8**-0.5 * (q @ k.mT), -1)
    assert torch.equal(p, want) and torch.equal(o, rounded(want, "bf16") @ v)


def test_unknown_formats_are_named():
    with pytest.raises(ValueError, match="fp64, fp32, tf32, bf16, fp16, not 'fp8'"):
        rounded(torch.ones(1), "fp8")
