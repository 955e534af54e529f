"""The running example: every number of it exact, tile by tile, as worked on paper."""

import math
from fractions import Fraction as F

import pytest
import torch

from tilewise import worked_example as example
from tilewise.trace import ORDERS, forward

from .._oracle import DK, DQ, DV, brute, exp2

INF = math.inf


def exact(order="kv-outer", **options):
    """Every state of the running example; S in units of τ, all else fractions."""
    q, k, v = example.Q, example.K, example.V
    return list(forward(q, k, v, 2, 2, order=order, scale=1, exp=exp2, **options))


def test_the_running_example_from_the_definition():
    q, k, v = example.Q, example.K, example.V
    s = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in k] for x in q]
    assert s == [[-1, -1, -2, 0], [1, 0, 0, -1], [0, 1, 2, 1], [1, 1, 2, 0]]
    p = [[exp2(x) / sum(map(exp2, row)) for x in row] for row in s]
    ninths = [[2, 2, 1, 4], [4, 2, 2, 1], [1, 2, 4, 2], [2, 2, 4, 1]]
    assert p == [[F(x, 9) for x in row] for row in ninths]
    assert [sum(exp2(x - max(row)) for x in row) for row in s] == [F(9, 4)] * 4
    o = brute(q, k, v, scale=1, exp=exp2)
    assert o == example.O == [[5, 4], [1, 6], [0, 3], [-1, 4]]
    assert example.DO == [[1, 0], [0, 1], [1, 1], [1, 0]]
    assert example.SCALE == math.log(2)  # τ, so that e^{τx} = 2^x


def test_the_gradients_of_the_running_example_are_in_ninths():
    """D = [5, 6, 3, −1]; dQ and dK also divided by τ, as autograd has them."""
    q, k, v, do = (torch.tensor(getattr(example, x)) for x in ("Q", "K", "V", "DO"))
    assert (torch.tensor(example.O) * do).sum(-1).tolist() == [5, 6, 3, -1]
    leaves = [x.double().requires_grad_() for x in (q, k, v)]
    s = example.SCALE * leaves[0] @ leaves[1].T
    grads = torch.autograd.grad(torch.softmax(s, -1) @ leaves[2], leaves, do.double())
    units = 9 / example.SCALE, 9 / example.SCALE, 9
    for found, unit, ninths in zip(grads, units, (DQ, DK, DV), strict=True):
        assert (unit * found - torch.tensor(ninths)).abs().max() < 1e-12


@pytest.mark.parametrize("order", ORDERS)
def test_the_running_example_ends_exactly(order):
    last = exact(order)[-1]
    assert last["o"] == example.O
    assert last["l"] == [F(9, 4)] * 4
    assert last["m"] == [0, 1, 2, 2]


TILES = {  # worked on paper: what each of the four tiles computes and stores
    "i": [0, 1, 0, 1],
    "j": [0, 0, 1, 1],
    "s": [[[-1, -1], [1, 0]], [[0, 1], [1, 1]], [[-2, 0], [0, -1]], [[2, 1], [2, 0]]],
    "m_tilde": [[-1, 1], [1, 1], [0, 0], [2, 2]],
    "p_tilde": [
        [[1, 1], [1, F(1, 2)]],
        [[F(1, 2), 1], [1, 1]],
        [[F(1, 4), 1], [1, F(1, 2)]],
        [[1, F(1, 2)], [1, F(1, 4)]],
    ],
    "l_tilde": [[2, F(3, 2)], [F(3, 2), 2], [F(5, 4), F(3, 2)], [F(3, 2), F(5, 4)]],
    "m_new": [[-1, 1], [1, 1], [0, 1], [2, 2]],
    "alpha": [[0, 0], [0, 0], [F(1, 2), 1], [F(1, 2), F(1, 2)]],
    "beta": [[1, 1], [1, 1], [1, F(1, 2)], [1, 1]],
    "l_new": [[2, F(3, 2)], [F(3, 2), 2], [F(9, 4)] * 2, [F(9, 4)] * 2],
    "pv": [
        [[9, 18], [F(9, 2), F(27, 2)]],
        [[9, F(27, 2)], [9, 18]],
        [[F(27, 4), 0], [F(-9, 2), 0]],
        [[F(-9, 2), 0], [F(-27, 4), 0]],
    ],
    "o_new": [
        [[F(9, 2), 9], [3, 9]],
        [[6, 9], [F(9, 2), 9]],
        [[5, 4], [1, 6]],
        [[0, 3], [-1, 4]],
    ],
}


@pytest.mark.parametrize("name", TILES)
def test_the_running_example_tile_by_tile(name):
    assert [state[name] for state in exact()] == TILES[name]


def test_the_running_example_moves_as_promised():
    """The maximum moves in the second key tile for rows 1, 3, 4; every output does."""
    first, second = exact()[1], exact()[3]
    moved = [a != b for a, b in zip(first["m"], second["m"], strict=True)]
    assert moved == [True, False, True, True]
    assert all(a != b for a, b in zip(first["o"], second["o"], strict=True))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("causal", [True, "top-left"])
def test_the_running_example_with_a_causal_mask(order, causal):
    states = exact(order, causal=causal)
    assert [(t["i"], t["j"]) for t in states] == [(0, 0), (1, 0), (1, 1)]
    assert states[0]["s"] == [[-1, -INF], [1, 0]]
    expected = brute(example.Q, example.K, example.V, scale=1, causal=True, exp=exp2)
    assert states[-1]["o"] == expected
