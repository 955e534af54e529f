"""What holds for softmax and its states, whatever the scores: exactly, in fractions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce

from hypothesis import assume, given
from hypothesis import strategies as st

from tilewise.one_pass import attend_step, attention_row
from tilewise.softmax import (
    IDENTITY,
    merge,
    online_softmax,
    online_step,
    safe_softmax,
    weight,
)

from .._oracle import exp2
from ._draw import SIZE, WHOLE, matrix

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCORE = st.one_of(FINITE, st.floats(-50, 50), st.just(-math.inf))
ROW = st.lists(SCORE, max_size=20)
NEAR = st.lists(st.floats(-300, 300), min_size=1, max_size=20)


def exact(xs):
    """e^x / Σ e^x with 40 digits and exponents without an end."""
    with localcontext(prec=40, Emax=10**6, Emin=-(10**6)):
        exps = [Decimal(x).exp() for x in xs]
        return [float(e / sum(exps)) for e in exps]


def close(found, right, rel=1e-12):
    assert len(found) == len(right)
    # x − m is rounded, by half a unit of 600: so is the exponent
    assert all(
        math.isclose(a, b, rel_tol=rel, abs_tol=1e-300) for a, b in zip(found, right)
    )


@given(NEAR)
def test_weights_are_those_of_forty_digits(xs):
    for softmax in (safe_softmax, online_softmax):
        close(softmax(xs), exact(xs))


@given(ROW)
def test_weights_of_any_row_are_shares(xs):
    seen = any(x > -math.inf for x in xs)
    for softmax in (safe_softmax, online_softmax):
        found = softmax(xs)
        assert len(found) == len(xs) and all(0 <= w <= 1 for w in found)
        assert math.isclose(sum(found), seen, rel_tol=1e-12)
        assert all(w == 0 for w, x in zip(found, xs) if x == -math.inf)


@given(ROW, st.randoms(use_true_random=False))
def test_weights_do_not_depend_on_the_order(xs, rng):
    turned = [*range(len(xs))]
    rng.shuffle(turned)
    for softmax in (safe_softmax, online_softmax):
        found = softmax(xs)
        close([found[i] for i in turned], softmax([xs[i] for i in turned]))


@given(st.lists(WHOLE, min_size=1, max_size=12), st.integers(-1000, 1000))
def test_a_number_added_to_all_scores_changes_nothing(xs, more):
    for softmax in (safe_softmax, online_softmax):
        assert softmax(xs) == softmax([x + more for x in xs])


def state(xs, values):
    """The state (m, ℓ, o) of scores and values, as fractions, from the definition."""
    if not xs:
        return IDENTITY
    total = sum(map(exp2, xs))
    o = [
        sum(exp2(x) * y for x, y in zip(xs, column)) / total for column in zip(*values)
    ]
    return max(xs), total / exp2(max(xs)), o


@st.composite
def keys(draw, columns):
    xs = draw(st.lists(WHOLE, max_size=5))
    return xs, draw(matrix(len(xs), columns))


@st.composite
def three(draw):
    columns = draw(SIZE)
    return [draw(keys(columns)) for _ in range(3)]


def exactly(monkeypatch):
    """merge and attend_step with 2^x for e^x: no rounding."""
    base_2 = lambda x, m: weight(x, m, exp2)  # noqa: E731
    monkeypatch.setattr("tilewise.softmax.weight", base_2)
    monkeypatch.setattr("tilewise.one_pass.weight", base_2)


def test_states_are_a_monoid(monkeypatch):
    exactly(monkeypatch)

    @given(three())
    def holds(parts):
        a, b, c = (state(*part) for part in parts)
        together = (
            [x for xs, _ in parts for x in xs],
            [v for _, vs in parts for v in vs],
        )
        assert merge(a, merge(b, c)) == merge(merge(a, b), c) == state(*together)
        assert merge(a, b) == merge(b, a)
        assert merge(a, IDENTITY) == merge(IDENTITY, a) == a

    holds()


def test_keys_taken_one_by_one_give_the_state(monkeypatch):
    exactly(monkeypatch)

    @given(three())
    def holds(parts):
        xs, values = parts[0]
        assume(xs)
        zero = -math.inf, 0, [0] * len(values[0])
        steps = reduce(lambda s, kv: attend_step(s, *kv), zip(xs, values), zero)
        assert steps == state(xs, values)
        assert reduce(online_step, xs, IDENTITY) == state(xs, values)[:2]

    holds()


@given(st.data())
def test_a_row_in_one_pass_is_the_formula(data):
    d, n, d_v = data.draw(SIZE), data.draw(SIZE), data.draw(SIZE)
    q, keys = data.draw(matrix(1, d))[0], data.draw(matrix(n, d))
    values, scale = data.draw(matrix(n, d_v)), data.draw(st.floats(-2, 2))
    scores = [scale * sum(a * b for a, b in zip(q, k)) for k in keys]
    weights = [Fraction(w) for w in exact(scores)]
    right = [float(sum(w * y for w, y in zip(weights, c))) for c in zip(*values)]
    found = attention_row(q, keys, values, scale=scale)
    assert all(abs(a - b) < 1e-12 for a, b in zip(found, right, strict=True))
