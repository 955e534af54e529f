"""One query row in one pass, against the definition."""

import math
import random

import pytest

from tilewise.one_pass import attend_step, attention_row, dot
from tilewise.worked_example import SCALE, K, O, Q, V

from .._oracle import brute_row, largest_difference, random_matrix

START = (-math.inf, 0, [0, 0])


def random_row(rng):
    n, d, d_v = rng.randint(1, 30), rng.randint(1, 8), rng.randint(1, 8)
    [q] = random_matrix(rng, 1, d)
    return q, random_matrix(rng, n, d), random_matrix(rng, n, d_v)


def test_dot():
    assert dot([1, 2, 3], [4, -5, 6]) == 12
    assert dot([], []) == 0


def test_equals_brute_force():
    rng = random.Random(0)
    for _ in range(200):
        q, keys, values = random_row(rng)
        for scale in (None, 0.0, 1.0, -0.3):
            expected = brute_row(
                q, keys, values, scale=len(q) ** -0.5 if scale is None else scale
            )
            o = attention_row(q, keys, values, scale=scale)
            assert largest_difference(o, expected) < 1e-12


def test_the_running_example():
    rows = [attention_row(q, K, V, scale=SCALE) for q in Q]
    assert largest_difference(rows, O) < 1e-12


def test_the_output_is_finished_after_every_key():
    rng = random.Random(1)
    for _ in range(20):
        q, keys, values = random_row(rng)
        state = (-math.inf, 0, [0] * len(values[0]))
        for n, (k, v) in enumerate(zip(keys, values, strict=True), 1):
            state = attend_step(state, dot(q, k), v)
            expected = brute_row(q, keys[:n], values[:n], scale=1)
            assert largest_difference(state[2], expected) < 1e-12


def test_the_order_of_the_keys_does_not_matter():
    rng = random.Random(2)
    q, keys, values = random_row(rng)
    pairs = list(zip(keys, values, strict=True))
    first = attention_row(q, keys, values)
    for _ in range(20):
        rng.shuffle(pairs)
        o = attention_row(q, *map(list, zip(*pairs, strict=True)))
        assert largest_difference(o, first) < 1e-12


def test_scores_beyond_the_range_of_exp():
    assert attention_row([1000.0], [[1.0], [1.0]], [[2.0], [4.0]], scale=1) == [3.0]
    assert attention_row([1000.0], [[1.0], [-1.0]], [[2.0], [4.0]], scale=1) == [2.0]


def test_a_score_of_minus_infinity_is_a_key_that_is_not_there():
    nothing = attend_step(START, -math.inf, [5.0, 6.0])
    assert nothing == START
    state = attend_step(nothing, 0.5, [1.0, 2.0])
    assert attend_step(state, -math.inf, [7.0, 7.0]) == state == (0.5, 1, [1.0, 2.0])


def test_nan_is_not_hidden():
    o = attention_row([1.0], [[1.0], [math.nan], [2.0]], [[1.0], [1.0], [1.0]])
    assert math.isnan(o[0])


def test_no_keys_give_an_empty_row():
    assert attention_row([1.0], [], []) == []


@pytest.mark.parametrize(
    "keys, values, message",
    [
        ([[1, 2]], [[1], [2]], "1 keys and 2 values"),
        ([[1, 2], [1]], [[1], [2]], "d = 2"),
        ([[1, 2, 3]], [[1]], "d = 2"),
        ([[1, 2], [3, 4]], [[1], [2, 3]], "d_v"),
    ],
)
def test_sizes_that_do_not_match_are_named(keys, values, message):
    with pytest.raises(ValueError, match=message):
        attention_row([1, 2], keys, values)
