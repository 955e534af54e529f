"""Split-KV on floor 0: exact fractions, brute force, and parts that fit together."""

import math
import random

import pytest

from tilewise.trace.split_kv import (
    LAUNCH,
    choose_splits,
    decode,
    first_key,
    merge_parts,
    parts,
)
from tilewise.worked_example import EXACT, K, O, Q, V

from .._oracle import brute_row, exp2, largest_difference, random_matrix


@pytest.mark.parametrize("splits", [1, 2, 3, 4, 9])
def test_the_running_example_is_exact(splits):
    """Its four rows as the heads of a group: each sees all four keys."""
    *states, last = decode(Q, K, V, splits, **EXACT)
    assert len(states) == {1: 1, 2: 2, 3: 2, 4: 4, 9: 4}[splits]
    assert [x["keys"][0] for x in states[1:]] == [x["keys"][1] for x in states[:-1]]
    assert last["o"] == O and last["m"] == [0, 1, 2, 2]
    assert last["l"] == [exp2(-2) * 9] * 4


def drawn(seed):
    rng = random.Random(seed)
    n, n_q, group, d = (rng.randint(1, x) for x in (12, 4, 3, 4))
    q, k, v = (random_matrix(rng, *x) for x in ((group * n_q, d), (n, d), (n, 3)))
    how = {"n_q": n_q, "block_cols": rng.randint(1, 4), "scale": 0.6}
    how |= {"window": rng.choice([None, (None, 0), (0, 0), (rng.randint(1, 9), 0)])}
    return q, k, v, rng.randint(1, 6), how


@pytest.mark.parametrize("seed", range(60))
def test_against_the_definition(seed):
    q, k, v, splits, how = drawn(seed)
    n, n_q, left = len(k), how["n_q"], (how["window"] or (None,))[0]
    *_, last = decode(q, k, v, splits, **how)
    for r, (q_r, o) in enumerate(zip(q, last["o"])):
        end = n - n_q + r % n_q + 1
        begin = 0 if left is None else max(0, end - 1 - left)
        if end <= 0:
            assert o == [0, 0, 0] and last["l"][r] == 0
            continue
        true = brute_row(q_r, k[begin:end], v[begin:end], 0.6)
        assert largest_difference(o, true) < 1e-12


def test_a_sink_counts_once_whatever_the_parts():
    q, k, v, _, how = drawn(3)
    how |= {"n_q": 1, "window": None, "sinks": [0.5] * len(q)}
    for splits in (1, 2, 5):
        *_, last = decode(q, k, v, splits, **how)
        for q_r, o in zip(q, last["o"]):
            keys, values = (
                [*k, [0.5 / 0.6 / q_r[0], *[0] * (len(q_r) - 1)]],
                [*v, [0] * 3],
            )
            assert largest_difference(o, brute_row(q_r, keys, values, 0.6)) < 1e-12


def test_no_keys_at_all():
    *states, last = decode([[1.0]], [], [], 3, sinks=None, scale=1)
    assert not states and last == {"m": [-math.inf], "l": [0], "o": [[]]}


def test_parts_are_whole_tiles_and_none_is_empty():
    for seed in range(300):
        rng = random.Random(seed)
        first, length, block, splits = (rng.randint(x, 40) for x in (0, 0, 1, 1))
        found = parts(first, first + length, block, splits)
        keys = [j for a, b in found for j in range(a, b)]
        assert keys == list(range(first, first + length)) and len(found) <= splits
        assert all(a < b for a, b in found)
        assert all((b - a) % block == 0 for a, b in found[:-1])
        assert len({b - a for a, b in found[:-1]}) <= 1


def test_first_key():
    assert [first_key(10, 3, left) for left in (None, 0, 2, 7, 9)] == [0, 7, 5, 0, 0]


def test_merging_with_nothing_changes_nothing():
    state = (2.0, 3.0, [1.0, -1.0])
    nothing = (-math.inf, 0, [0, 0])
    assert merge_parts([nothing, state]) == state
    assert merge_parts([nothing, nothing]) == nothing


def cost(s, programs, tiles, rows, tile, row, processors):
    """Simulated: deal the programs out, count what the last processor moves."""
    loads = [0] * processors
    for i in range(programs * s):
        loads[i % processors] += math.ceil(tiles / s) * tile + (s > 1) * rows * row
    merged = [0] * processors
    for i in range(programs * rows if s > 1 else 0):
        merged[i % processors] += s * row
    alone = max(loads) / 8 if programs * s <= processors else 0
    return max(loads) + alone + max(merged) + (LAUNCH if s > 1 else 0)


def test_the_number_of_splits_is_the_cheapest():
    for seed in range(60):
        rng = random.Random(seed)
        case = [rng.randint(1, x) for x in (40, 60, 8)] + [
            rng.randint(1, 90_000),
            900,
            16,
        ]
        most = min(case[1], 4 * case[-1] // case[0] + 1)
        costs = {s: cost(s, *case) for s in range(1, max(1, most) + 1)}
        assert choose_splits(*case) == min(costs, key=costs.get)
