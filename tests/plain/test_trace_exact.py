"""Both traces in fractions: the definition and the running example, exactly."""

import math
import random
from fractions import Fraction as F
from itertools import product

import pytest

from tilewise import worked_example as example
from tilewise.trace import ORDERS, backward, forward

from .._oracle import CAUSALS, DK, DQ, DV, exp2, random_matrix, visible
from .._oracle import brute as standard

EVERY = list(product(ORDERS, CAUSALS))
NAMES = ("dq", "dk", "dv")


def saved(q, k, v, do, **options):
    """(q, k, v, o, do, m, l) as the forward pass of other tiles leaves them."""
    *_, last = forward(q, k, v, 3, 1, **options)
    return q, k, v, last["o"], do, last["m"], last["l"]


def brute_row(q_r, keys, values, do_r, scale, exp):
    """(P, dS) of one row from the softmax's Jacobian, entry by entry."""
    e = [exp(scale * sum(a * b for a, b in zip(q_r, x, strict=True))) for x in keys]
    p = [x / sum(e) for x in e]
    dp = [sum(a * b for a, b in zip(do_r, x, strict=True)) for x in values]
    each = range(len(p))
    jacobian = [[p[a] * ((a == b) - p[b]) for b in each] for a in each]
    return p, [sum(jacobian[a][b] * dp[b] for b in each) for a in each]


def brute(q, k, v, do, scale, causal, exp):
    """(dq, dk, dv) row by row, with dS = J dP: neither δ nor tiles nor a maximum."""
    dq, dk, dv = ([[0] * len(x[0]) for _ in x] for x in (q, k, v))
    for r, q_r in enumerate(q):
        seen = visible(r, len(q), len(k), causal)
        keys, values = [k[c] for c in seen], [v[c] for c in seen]
        p, ds = brute_row(q_r, keys, values, do[r], scale, exp)
        for c, p_c, ds_c in zip(seen, p, ds, strict=True):
            for t in range(len(q_r)):
                dq[r][t] += scale * ds_c * k[c][t]
                dk[c][t] += scale * ds_c * q_r[t]
            for t in range(len(v[0])):
                dv[c][t] += p_c * do[r][t]
    return dq, dk, dv


@pytest.mark.parametrize("order, causal", EVERY)
def test_exact_in_fractions(order, causal):
    """Whole numbers and base 2: O, ℓ, m and every gradient are the definition's."""
    rng = random.Random(5)
    for scale in (1, -1, 2, 1, -1, 2, 1, 1):
        n_q, n_k, d, d_v = (rng.randint(1, 5) for _ in range(4))
        sizes = ((n_q, d), (n_k, d), (n_k, d_v), (n_q, d_v))
        q, k, v, do = (random_matrix(rng, *s, dtype=int) for s in sizes)
        how = {"scale": scale, "causal": causal, "exp": exp2}
        inputs = saved(q, k, v, do, order=order, **how)
        *_, o, _, ms, ls = inputs
        assert o == standard(q, k, v, **how)
        for r, m, l in zip(range(n_q), ms, ls, strict=True):
            seen = visible(r, n_q, n_k, causal)
            s = [scale * sum(map(math.prod, zip(q[r], k[c]))) for c in seen]
            total = sum(exp2(x - max(s)) for x in s)
            assert (m, l) == ((max(s), total) if s else (-math.inf, 0))
        *_, last = backward(*inputs, 2, 3, order=order, **how)
        expected = brute(q, k, v, do, scale, causal, exp2)
        assert tuple(last[name] for name in NAMES) == expected


def ninths(rows):
    return [[F(x, 9) for x in row] for row in rows]


def the_example(order="kv-outer", **options):
    how = {"scale": 1, "exp": exp2, **options}
    inputs = saved(example.Q, example.K, example.V, example.DO, **how)
    return list(backward(*inputs, 2, 2, order=order, **how))


@pytest.mark.parametrize("order", ORDERS)
def test_the_running_example_ends_exactly(order):
    last = the_example(order)[-1]
    assert [last[name] for name in NAMES] == [*map(ninths, (DQ, DK, DV))]


def test_the_first_tile_of_the_running_example_on_paper():
    first = the_example()[0]
    assert first["p"] == ninths([[2, 2], [4, 2]])
    assert first["dp"] == [[0, 9], [9, 9]] and first["delta"] == [5, 6]
    assert first["ds"] == ninths([[-10, 8], [12, 6]])
    assert first["dv_new"] == ninths([[2, 4], [2, 2]])
    assert first["dq_new"] == ninths([[-10, 8], [12, 6]])  # K_1 is the identity
    assert first["dk_new"] == ninths([[22, 10], [-2, -8]])
    assert first["load"] == ["k", "v", "q", "o", "do", "l", "m", "dq"]
    assert first["store"] == ["dq"] and first["dq_old"] == [[0, 0], [0, 0]]
