"""The backward trace: fold = scan = autograd, its traffic, and what it refuses."""

import copy
import math
import random
from functools import reduce
from itertools import accumulate, product

import pytest
import torch

from tilewise import trace
from tilewise.trace import (
    ORDERS,
    backward,
    forward,
    start_backward,
    step_backward,
    tiles_backward,
)

from .._oracle import (
    CAUSALS,
    attend,
    flat,
    largest_difference,
    random_matrix,
    random_qkv,
)

EVERY = list(product(ORDERS, CAUSALS))
NAMES = ("dq", "dk", "dv")


def saved(q, k, v, do, **options):
    """(q, k, v, o, do, m, l) as the forward pass of other tiles leaves them."""
    *_, last = forward(q, k, v, 3, 1, **options)
    return q, k, v, last["o"], do, last["m"], last["l"]


def case(seed, most=10):
    q, k, v, block_rows, block_cols = random_qkv(seed, most=most)
    do = random_matrix(random.Random(seed + 1000), len(q), len(v[0]))
    return q, k, v, do, block_rows, block_cols


def autograd(q, k, v, do, **options):
    """(dq, dk, dv) of standard attention in float64, by PyTorch."""
    leaves = [torch.tensor(x, dtype=torch.float64).requires_grad_() for x in (q, k, v)]
    o, _ = attend(*leaves, **options)
    do = torch.tensor(do, dtype=torch.float64)
    return [torch.nan_to_num(x).tolist() for x in torch.autograd.grad(o, leaves, do)]


@pytest.mark.parametrize("order, causal", EVERY)
def test_fold_is_scan_is_autograd(order, causal):
    for seed in range(30):
        q, k, v, do, *sizes = case(seed)
        rule = {"causal": causal, "scale": [None, 0.7, -1][seed % 3]}
        inputs, options = saved(q, k, v, do, **rule), {"order": order, **rule}
        grid = list(tiles_backward(*inputs, *sizes, **options))
        first = start_backward(q, k, v)
        fold = reduce(step_backward, grid, first)
        *_, scan = accumulate(grid, step_backward, initial=first)
        *_, last = backward(*inputs, *sizes, **options)
        assert fold == scan == last
        for name, expected in zip(NAMES, autograd(q, k, v, do, **rule), strict=True):
            assert largest_difference(last[name], expected) < 1e-11, (seed, name)


def test_rows_and_keys_that_meet_nothing_have_zero_gradient():
    rng = random.Random(2)
    q, k, v, do = (random_matrix(rng, n, 2) for n in (7, 3, 3, 7))
    inputs = saved(q, k, v, do, causal=True)  # rows 1 to 4 see no key
    *_, last = backward(*inputs, 3, 2, causal=True)
    assert last["dq"][:4] == [[0, 0]] * 4 and 0 not in flat(last["dq"][4:])[2:]
    assert all(map(math.isfinite, flat([last[x] for x in NAMES])))
    inputs = saved(k, q, do, v, causal="top-left")  # keys 4 to 7 are seen by no row
    *_, last = backward(*inputs, 2, 2, causal="top-left")
    assert last["dk"][3:] == last["dv"][3:] == [[0, 0]] * 4
    assert 0 not in flat(last["dk"][:3])


@pytest.mark.parametrize("order, causal", EVERY)
def test_what_is_used_is_on_chip_and_what_is_stored_is_the_result(order, causal):
    """Play the loads and stores: a chip that keeps one tile of each, and an HBM."""
    for seed in range(30, 50):
        q, k, v, do, *sizes = case(seed)
        hbm, chip = start_backward(q, k, v), {}
        result = copy.deepcopy(hbm)
        kept = ("dk", "dv") if order == "kv-outer" else ("dq",)
        inputs = saved(q, k, v, do, causal=causal)
        for state in backward(*inputs, *sizes, order=order, causal=causal):
            place = dict.fromkeys(("q", "o", "do", "l", "m", "dq"), state["i"])
            place |= dict.fromkeys(("k", "v", "dk", "dv"), state["j"])
            span = {"dq": state["rows"], "dk": state["cols"], "dv": state["cols"]}
            for name in state["load"]:
                chip[name] = place[name]
                if name in span:
                    a, b = span[name]
                    assert hbm[name][a:b] == state[name + "_old"]
            used = [name for name in place if name not in kept]
            assert all(chip[name] == place[name] for name in used)
            for name in state["store"]:
                a, b = span[name]
                hbm[name][a:b] = state[name + "_new"]
            result = {name: state[name] for name in NAMES}
        assert hbm == result


def test_states_stay_as_they_were_and_the_input_too():
    inputs = saved(*case(3)[:4])
    before = copy.deepcopy(inputs)
    for states in (forward(*inputs[:3], 2, 2), backward(*inputs, 2, 2)):
        pairs = [(state, copy.deepcopy(state)) for state in states]
        assert all(state == other for state, other in pairs) and inputs == before


GOOD = {"q": [[1, 2]], "k": [[3, 4]], "v": [[5]], "o": [[5]], "do": [[1]], "m": [0]}
GOOD |= {"l": [1], "block_rows": 1, "block_cols": 1}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"o": [[1, 2]]}, "o must have the shape of the output, 1 × 1"),
        ({"do": [[1], [2]]}, "do must have the shape of the output, 1 × 1"),
        ({"do": [[]]}, "do must have the shape of the output"),
        ({"m": []}, "m has 0 numbers, not 1, one for each row"),
        ({"l": [1, 2]}, "l has 2 numbers, not 1, one for each row"),
        ({"q": [[1]]}, "q has d = 1 columns and k has 2"),
    ],
)
def test_input_that_does_not_fit_is_named_at_once(change, message):
    assert list(backward(**GOOD))
    with pytest.raises(ValueError, match=message):
        trace.backward(**{**GOOD, **change})
