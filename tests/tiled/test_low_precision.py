"""Formats against PyTorch's own casts, recipes by hand, tricks against float64."""

import math
from fractions import Fraction

import pytest
import torch

from tilewise import low_precision
from tilewise.low_precision import (
    RECIPES,
    Recipe,
    as_rule,
    low_precision_forward,
    nearest,
    quantise,
    rotation,
    smooth,
    values,
)
from tilewise.standard import standard_forward

CASTS = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]  # as in the table of OCP's specification


def drawn(*shape, seed=0):
    return torch.randn(
        *shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )


@pytest.mark.parametrize("name", CASTS)
def test_numbers_of_8_bits_are_pytorch_s(name):
    codes = torch.arange(128, dtype=torch.uint8).view(CASTS[name]).double()
    assert values(name) == codes[codes.isfinite()].tolist()
    assert values(name)[-1] == torch.finfo(CASTS[name]).max


@pytest.mark.parametrize("name", CASTS)
def test_rounding_to_8_bits_is_pytorch_s_bit_for_bit(name):
    """All 65,536 bf16 and fp16 numbers; beyond the largest, PyTorch may say NaN."""
    bits = torch.arange(-(2**15), 2**15, dtype=torch.int16)
    for kind in (torch.bfloat16, torch.float16):
        x = bits.view(kind).float()
        x = x[x.abs() <= values(name)[-1]]
        cast = x.to(CASTS[name]).float()
        assert torch.equal(nearest(x, name), cast)
        assert torch.equal(nearest(x.double(), name), cast.double())


def test_numbers_of_4_bits_and_their_ties():
    assert values("e2m1") == E2M1
    x = torch.linspace(-8, 8, 1601, dtype=torch.float64)
    for a, b in zip(x.tolist(), nearest(x, "e2m1").tolist()):
        best = min(abs(Fraction(abs(a)) - Fraction(y)) for y in E2M1)
        near = [y for y in E2M1 if abs(Fraction(abs(a)) - Fraction(y)) == best]
        even = [y for y in near if E2M1.index(y) % 2 == 0]
        assert abs(b) == (even if len(near) == 2 else near)[0], a
        assert math.copysign(1, a) == math.copysign(1, b) or a == 0


@pytest.mark.parametrize("name", low_precision.ELEMENTS)
def test_infinity_saturates_and_nan_stays(name):
    x = nearest(torch.tensor([math.inf, -math.inf, math.nan]), name)
    assert x[:2].tolist() == [values(name)[-1], -values(name)[-1]] and x[2].isnan()


def test_a_power_of_two_is_ocp_s():
    """2^(floor(log2 of the largest) − 8) for e4m3, whose largest power is 2^8."""
    recipe = RECIPES["MXFP8"]
    for largest in (1.0, 1.99, 2.0, 448.0, 3e-5):
        found = low_precision.scales(torch.tensor(largest), recipe)
        assert found == 2.0 ** (math.floor(math.log2(largest)) - 8)
    assert found.to(torch.float8_e8m0fnu).float() == found


def test_nvfp4_by_hand():
    """Two blocks: the scales are 448 and 448 / 16 times the one around them."""
    x = torch.zeros(1, 32, dtype=torch.float64)
    x[0, :3] = torch.tensor([96.0, 40.0, -7.0])  # 6, 2.5, −7/16 in units of 16
    x[0, 16:18] = torch.tensor([6.0, 2.6])
    want = torch.zeros_like(x)
    want[0, :3] = torch.tensor([96.0, 32.0, -8.0])  # 2.5 is a tie: 2 is even
    want[0, 16:18] = torch.tensor([6.0, 3.0])
    assert (quantise(x, RECIPES["NVFP4"]) - want).abs().max() < 1e-12


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("axis", [-1, -2])
def test_each_group_has_its_own_scale_along_its_axis(name, axis):
    """Written out group by group, with ragged ends; a second time changes nothing."""
    recipe, x = RECIPES[name], drawn(2, 40, 40)
    around = torch.ones(2, 1, 1, dtype=torch.float64)
    if recipe.outer:
        around = x.abs().amax((-2, -1), keepdim=True) / (6 * 448)
    parts = []
    for part in (x / around).split(recipe.per or 40, axis):
        over = axis if recipe.per else (-2, -1)
        scale = low_precision.scales(part.abs().amax(over, keepdim=True), recipe)
        parts.append(nearest(part / scale, recipe.element) * scale)
    found = quantise(x, recipe, axis)
    assert (found - torch.cat(parts, axis) * around).abs().max() < 1e-12
    assert found.shape == x.shape and found.dtype == x.dtype
    assert quantise(0 * x, recipe, axis).eq(0).all()


def test_an_exact_rule_is_exact_attention():
    q, k, v = drawn(2, 20, 16), drawn(2, 33, 16, seed=1), drawn(2, 33, 5, seed=2)
    o, lse = low_precision_forward(q, k, v, 8, 7, lambda x, axis: x)
    want, lse_want = standard_forward(q, k, v)[:2]
    assert (o - want).abs().max() < 1e-13 and o.shape == want.shape
    s = q @ k.mT / 4
    assert (lse - s.logsumexp(-1)).abs().max() < 1e-13


def test_rules_see_tiles_and_the_axis_of_the_sum():
    seen = []

    def rule(x, axis):
        seen.append((tuple(x.shape), axis))
        return x

    low_precision_forward(drawn(4, 2), drawn(6, 2), drawn(6, 3), 4, 6, rule)
    assert seen == [((4, 2), -1), ((6, 2), -1), ((6, 3), -2), ((4, 6), -1)]


def test_smoothing_keeps_o_and_shifts_l():
    q, k, v = drawn(3, 24, 16)
    rest, mean = smooth(k + 5)
    assert rest.mean(-2).abs().max() < 1e-14
    o, lse = standard_exact(q, k + 5, v)
    o_rest, lse_rest = standard_exact(q, rest, v)
    assert (o - o_rest).abs().max() < 1e-12
    assert (lse - lse_rest - (q @ mean.mT)[:, 0] / 4).abs().max() < 1e-12
    assert (lse - lse_rest).abs().max() > 1


def standard_exact(q, k, v):
    s = q @ k.mT / 4
    return s.softmax(-1) @ v, s.logsumexp(-1)


@pytest.mark.parametrize("d", [1, 2, 64])
def test_a_rotation_turns_and_spreads(d):
    m = rotation(d)
    assert (m @ m.T - torch.eye(d)).abs().max() < 1e-14
    assert (m.abs() - d**-0.5).abs().max() < 1e-14
    assert d == 1 or not torch.equal(m, rotation(d, seed=3))
    with pytest.raises(ValueError, match="power of two, not 48"):
        rotation(48)


def test_smoothing_and_rotation_help_where_they_should():
    q, k, v = drawn(3, 256, 64)
    m, rule = rotation(64), as_rule(Recipe("e2m1"))
    shared = k + 10 * drawn(64, seed=5)
    outliers = k + 30 * (drawn(256, 64, seed=6).abs() > 3.3)

    def error(k, q_low, k_low):
        exact = (q @ k.mT / 8).softmax(-1) @ v
        o, _ = low_precision_forward(q_low, k_low, v, 64, 64, rule)
        return (o - exact).norm() / exact.norm()

    assert error(shared, q, smooth(shared)[0]) < 0.7 * error(shared, q, shared)
    assert error(outliers, q @ m, outliers @ m) < 0.85 * error(outliers, q, outliers)


@pytest.mark.parametrize("in_v, error", [(True, "0.0577"), (False, "0.0586")])
def test_outliers_in_v_are_not_what_rotation_leaves(in_v, error):
    """The two errors of e4m3 that the page names, from the inputs of its example."""
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(3, 1024, 64, generator=draw, dtype=torch.float64)
    far = 10 * torch.randn(x.shape, generator=draw, dtype=torch.float64)
    far *= torch.rand(x.shape, generator=draw) < 0.001
    q, k, v = x + far * torch.tensor([1, 1, in_v])[:, None, None]
    exact, m = standard_forward(q, k, v)[0], rotation(64)
    rule = as_rule(RECIPES["e4m3"])
    o, _ = low_precision_forward(q @ m, k @ m, v, 128, 128, rule)
    assert f"{(o - exact).norm() / exact.norm():.4f}" == error
