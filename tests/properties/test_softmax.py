"""What holds for softmax and its states, whatever the scores."""

import math
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from tilewise.one_pass import attend_step
from tilewise.softmax import IDENTITY, online_softmax, online_step, safe_softmax, weight

from .._oracle import exp2
from ._draw import matrix

FINITE = st.floats(allow_nan=False, allow_infinity=False)
ROW = st.lists(st.one_of(FINITE, st.floats(-50, 50), st.just(-math.inf)), max_size=20)


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
        found, other = softmax(xs), softmax([xs[i] for i in turned])
        for i, x in zip(turned, other, strict=True):
            assert math.isclose(found[i], x, rel_tol=1e-12, abs_tol=1e-300)


def test_keys_taken_one_by_one_give_the_state(monkeypatch):
    """With 2^x for e^x: exactly."""
    base_2 = lambda x, m: weight(x, m, exp2)  # noqa: E731
    monkeypatch.setattr("tilewise.softmax.weight", base_2)
    monkeypatch.setattr("tilewise.one_pass.weight", base_2)

    @given(matrix(5, 4))
    def holds(keys):
        xs, values = [x for x, *_ in keys], [v for _, *v in keys]
        total = sum(map(exp2, xs))
        o = [sum(exp2(x) * y for x, y in zip(xs, c)) / total for c in zip(*values)]
        state = max(xs), total / exp2(max(xs))
        zero = *IDENTITY, [0, 0, 0]
        steps = reduce(lambda s, kv: attend_step(s, *kv), zip(xs, values), zero)
        assert steps == (*state, o)
        assert reduce(online_step, xs, IDENTITY) == state

    holds()
