"""The trace: fold = scan = standard attention, its traffic, and what it refuses."""

import math
from functools import reduce
from itertools import accumulate, product

import pytest

from tilewise.trace import ORDERS, forward, start, step, tiles

from .._oracle import CAUSALS, brute, largest_difference, random_qkv, visible

INF = math.inf
EVERY = list(product(ORDERS, CAUSALS))


@pytest.mark.parametrize("order, causal", EVERY)
def test_fold_is_scan_is_standard(order, causal):
    for seed in range(60):
        q, k, v, block_rows, block_cols = random_qkv(seed)
        options = {"order": order, "causal": causal, "scale": [None, 0.7, -1][seed % 3]}
        blocks = list(tiles(q, k, v, block_rows, block_cols, **options))
        fold = reduce(step, blocks, start(q, v))
        *_, scan = accumulate(blocks, step, initial=start(q, v))
        *_, last = forward(q, k, v, block_rows, block_cols, **options)
        assert fold == scan == last
        expected = brute(q, k, v, causal=causal, scale=options["scale"])
        assert largest_difference(last["o"], expected) < 1e-12


@pytest.mark.parametrize("order, causal", EVERY)
def test_every_state_is_attention_over_the_keys_so_far(order, causal):
    for seed in range(60, 70):
        q, k, v, block_rows, block_cols = random_qkv(seed, most=7)
        seen = [set() for _ in q]
        for state in forward(
            q, k, v, block_rows, block_cols, order=order, causal=causal
        ):
            for r in range(*state["rows"]):
                seen[r] |= set(visible(r, len(q), len(k), causal)) & set(
                    range(*state["cols"])
                )
            for r, keys in enumerate(seen):
                if keys:
                    k_r, v_r = [k[c] for c in keys], [v[c] for c in keys]
                    expected = brute([q[r]], k_r, v_r)[0]
                    assert largest_difference(state["o"][r], expected) < 1e-12
                else:
                    rest = state["o"][r], state["l"][r], state["m"][r]
                    assert rest == ([0] * len(v[0]), 0, -INF)


@pytest.mark.parametrize("causal", CAUSALS)
def test_tiles_without_a_visible_key_and_only_those_are_left_out(causal):
    for seed in range(70, 110):
        q, k, v, block_rows, block_cols = random_qkv(seed)
        grid = list(tiles(q, k, v, block_rows, block_cols, causal=causal))
        needed = {
            (r // block_rows, c // block_cols)
            for r in range(len(q))
            for c in visible(r, len(q), len(k), causal)
        }
        assert {(t["i"], t["j"]) for t in grid} == needed
        assert len(grid) == len(needed)


def test_orders_differ_in_the_loop_only():
    q, k, v, *_ = random_qkv(1)
    place = {
        order: [(t["i"], t["j"]) for t in tiles(q, k, v, 2, 3, order=order)]
        for order in ORDERS
    }
    assert place["q-outer"] == sorted(place["kv-outer"])
    assert place["kv-outer"] == sorted(place["q-outer"], key=lambda ij: ij[::-1])


@pytest.mark.parametrize("order, causal", EVERY)
def test_what_is_used_is_on_chip_and_what_is_stored_is_the_result(order, causal):
    """Play the loads and stores: a chip that keeps one tile of each, and an HBM."""
    for seed in range(110, 140):
        q, k, v, block_rows, block_cols = random_qkv(seed)
        hbm, chip = start(q, v), {}
        options = {"order": order, "causal": causal}
        for state in forward(q, k, v, block_rows, block_cols, **options):
            i, j = state["i"], state["j"]
            index = {"q": i, "o": i, "l": i, "m": i, "k": j, "v": j}
            for name in state["load"]:
                chip[name] = index[name]
                if name in hbm:
                    first, end = state["rows"]
                    assert hbm[name][first:end] == state[name + "_old"]
            used = ["q", "k", "v"] + (["o", "l", "m"] if order == "kv-outer" else [])
            assert all(chip[name] == index[name] for name in used)
            for name in state["store"]:
                first, end = state["rows"]
                hbm[name][first:end] = state[name + "_new"]
        assert hbm == {name: state[name] for name in hbm}


GOOD = {"q": [[1, 2]], "k": [[3, 4]], "v": [[5]], "block_rows": 1, "block_cols": 1}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"q": []}, "q must be a matrix"),
        ({"q": [[]]}, "q must be a matrix"),
        ({"k": [[1, 2], [3]]}, "k must be a matrix"),
        ({"v": []}, "v must be a matrix"),
        ({"q": [[1, 2, 3]]}, "q has d = 3 columns and k has 2"),
        ({"v": [[5], [6]]}, "k has 1 rows and v has 2"),
        ({"block_rows": 0}, "block_rows must be a whole number of at least 1, not 0"),
        ({"block_cols": -2}, "block_cols must be a whole number of at least 1, not -2"),
        ({"block_cols": 1.5}, "block_cols must be a whole number .* not 1.5"),
        ({"order": "kv"}, "order must be one of kv-outer, q-outer, not 'kv'"),
        (
            {"causal": "bottom"},
            "causal must be False, True or 'top-left', not 'bottom'",
        ),
    ],
)
def test_bad_input_is_named_before_the_first_step(change, message):
    [state] = forward(**GOOD)
    assert state["o"] == [[5]]
    with pytest.raises(ValueError, match=message):
        forward(**GOOD | change)  # no step is asked for
