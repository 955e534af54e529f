"""Softmax: overflow, the guard of −∞, online = safe, and states as a monoid."""

import math
import random
import re
from decimal import Decimal, localcontext
from functools import reduce

import pytest

from tilewise.softmax import (
    IDENTITY,
    merge,
    naive_softmax,
    online_softmax,
    online_step,
    safe_softmax,
    weight,
)

from .._oracle import largest_difference

INF, NAN, EPS = math.inf, math.nan, 2.0**-52
BOTH = pytest.mark.parametrize("softmax", [safe_softmax, online_softmax])


def decimal_softmax(xs):
    """e^x / Σ e^x with 40 digits and no limit on exponents: needs no maximum."""
    with localcontext(prec=40, Emax=10**6, Emin=-(10**6)):
        exps = [Decimal(x).exp() for x in xs]
        return [float(e / sum(exps)) for e in exps]


def random_row(rng, spread=10.0):
    """Scores with a few −∞ among them, sometimes all −∞, sometimes none."""
    gone = rng.choice([0, 0, 0.3, 1])
    n = rng.randint(1, 40)
    return [-INF if rng.random() < gone else rng.gauss(0, spread) for _ in range(n)]


def state_of(xs, values=None):
    """(m, ℓ) or (m, ℓ, o) of a set of scores, from the definitions."""
    m = max(xs, default=-INF)
    weights = [math.exp(x - m) for x in xs if x > -INF]
    if values is None:
        return m, math.fsum(weights)
    seen = [v for x, v in zip(xs, values, strict=True) if x > -INF]
    columns = zip(*seen, strict=True)
    o = [math.fsum(map(math.prod, zip(weights, c, strict=True))) for c in columns]
    return m, math.fsum(weights), [x / math.fsum(weights) for x in o]


def test_naive_overflows_where_safe_does_not():
    assert math.isfinite(sum(naive_softmax([709.0, 0.0])))
    with pytest.raises(OverflowError):
        naive_softmax([710.0, 0.0])
    assert (
        safe_softmax([1000.0, 1000.0]) == online_softmax([1000.0, 1000.0]) == [0.5] * 2
    )
    assert safe_softmax([1e308, -1e308]) == online_softmax([1e308, -1e308]) == [1, 0]


@BOTH
def test_equals_the_definition_in_40_digits(softmax):
    rng = random.Random(0)
    for _ in range(200):
        xs = [rng.gauss(0, rng.choice([1, 30, 600])) for _ in range(rng.randint(1, 40))]
        # each weight and each term of ℓ is off by a few ε, and ℓ ≥ 1 has N terms
        tolerance = (len(xs) + 8) * EPS
        assert largest_difference(softmax(xs), decimal_softmax(xs)) < tolerance


@BOTH
def test_naive_agrees_where_it_does_not_overflow(softmax):
    xs = [0.5, -1.0, 3.25, 0.0]
    assert largest_difference(softmax(xs), naive_softmax(xs)) < 4 * EPS


@BOTH
def test_a_shift_changes_nothing(softmax):
    rng = random.Random(1)
    for shift in (1, -7, 2**20, -(2**40)):  # whole numbers: x + shift is exact
        xs = [float(rng.randint(-9, 9)) for _ in range(20)]
        assert softmax([x + shift for x in xs]) == softmax(xs)


@BOTH
def test_a_score_of_minus_infinity_weighs_nothing(softmax):
    first, second = softmax([1.0, 2.0])
    assert softmax([-INF, 1.0, -INF, 2.0]) == [0, first, 0, second]
    assert softmax([-INF] * 3) == [0, 0, 0]
    assert softmax([]) == []


@BOTH
@pytest.mark.parametrize("bad", [NAN, INF])
def test_nan_and_plus_infinity_make_the_whole_row_nan(softmax, bad):
    for xs in ([bad], [bad, 1.0], [1.0, bad], [-INF, bad, 2.0, -INF], [3.0, 1.0, bad]):
        assert all(math.isnan(p) for p in softmax(xs)), xs


def test_online_is_safe():
    rng = random.Random(2)
    for _ in range(500):
        xs = random_row(rng)
        tolerance = (len(xs) + 8) * EPS
        assert largest_difference(online_softmax(xs), safe_softmax(xs)) < tolerance


def test_online_state_is_right_after_every_score():
    rng = random.Random(3)
    for _ in range(50):
        xs, state = random_row(rng), IDENTITY
        for n, x in enumerate(xs, 1):
            state = online_step(state, x)
            m, l = state_of(xs[:n])
            assert state[0] == m
            assert abs(state[1] - l) < n * EPS * max(l, 1) + EPS


def test_weight_of_nothing_is_zero_relative_to_nothing():
    assert weight(-INF, -INF) == weight(-INF, 3.0) == 0
    assert weight(2.0, 2.0) == 1


def random_state(rng, *, d=None):
    n = rng.randint(1, 6)
    xs = [rng.gauss(0, 20) for _ in range(n)]
    return state_of(xs, d and [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)])


@pytest.mark.parametrize("d", [None, 3])
def test_merge_is_a_commutative_monoid(d):
    rng = random.Random(4)
    for _ in range(300):
        a, b, c = (random_state(rng, d=d) for _ in range(3))
        assert merge(a, IDENTITY) == a == merge(IDENTITY, a)
        assert merge(a, b) == merge(b, a)
        left, right = merge(merge(a, b), c), merge(a, merge(b, c))
        assert largest_difference(list(left), list(right)) < 1e-12
    assert merge(IDENTITY, IDENTITY) == IDENTITY


def test_states_merge_in_any_order_and_any_tree():
    rng = random.Random(5)
    for _ in range(100):
        n = rng.randint(1, 20)
        xs = [rng.gauss(0, 5) for _ in range(n)]
        values = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(n)]
        states = [(x, 1, v) for x, v in zip(xs, values, strict=True)]
        states += [IDENTITY] * rng.randint(0, 3)
        rng.shuffle(states)
        while len(states) > 1:
            a, b = (states.pop(rng.randrange(len(states))) for _ in range(2))
            states.append(merge(a, b))
        whole = state_of(xs, values)
        assert largest_difference(list(states[0]), list(whole)) < 1e-12


def test_merging_two_parts_is_going_on_online():
    rng = random.Random(6)
    for _ in range(200):
        xs, ys = random_row(rng), random_row(rng)
        a, b, both = (reduce(online_step, z, IDENTITY) for z in (xs, ys, xs + ys))
        m, l = merge(a, b)
        assert m == both[0]
        assert abs(l - both[1]) < 1e-12 * max(1, l)


def test_merge_takes_states_far_apart():
    far, near = (-1000.0, 2.0, [7.0]), (1000.0, 3.0, [5.0])
    assert merge(far, near) == merge(near, far) == near


@pytest.mark.parametrize(
    "a, b",
    [
        ((0.0, 1.0), (0.0, 1.0, [1.0])),
        ((0.0, 1.0, [1.0]), (0.0, 1.0)),
        ((0.0, 1.0, [1.0]), (0.0, 1.0, [1.0, 2.0])),
    ],
)
def test_merge_refuses_states_of_different_form(a, b):
    with pytest.raises(ValueError, match=re.escape(f"different form: {a} and {b}")):
        merge(a, b)


def test_merge_does_not_hide_nan():
    for a, b in (((NAN, NAN), (0.0, 1.0)), ((0.0, 1.0), (NAN, NAN))):
        assert math.isnan(merge(a, b)[1])
