"""The trace with windows, softcap and a sink: against autograd, and exact by hand."""

import itertools
import math
import random
from fractions import Fraction

import pytest
import torch
from torch.testing import assert_close

from tilewise import trace
from tilewise.worked_example import DO, EXACT, K, Q, V

from .._oracle import random_matrix
from ..attention._variant_cases import formula, window_seen


def drawn(seed):
    """q, k, v, do as lists, and options."""
    rng = random.Random(seed)
    n_q, n_k, d, d_v = (rng.randint(1, 8) for _ in range(4))
    shapes = (n_q, d), (n_k, d), (n_k, d_v), (n_q, d_v)
    window = tuple(rng.choice([None, 0, 1, 3]) for _ in range(2))
    how = {"window": rng.choice([None, window]), "causal": rng.choice([False, True])}
    how |= {"softcap": rng.choice([None, 0.8, 3]), "scale": rng.choice([None, -0.7])}
    return [random_matrix(rng, *x) for x in shapes], how, rng.choice([None, 0, -1.5, 2])


def by_formula(matrices, how, sink):
    """o, dq, dk, dv and the sink's gradient, which is 0 where there is none."""
    tensors = [torch.tensor(x, dtype=torch.float64)[None, None] for x in matrices]
    leaves = [x.requires_grad_() for x in tensors[:3]]
    n_q, n_k = leaves[0].shape[2], leaves[1].shape[2]
    sinks = torch.tensor([-math.inf if sink is None else sink], dtype=torch.float64)
    seen = window_seen(n_q, n_k, *how["window"] or (None, None))
    plain = {"scale": how["scale"], "causal": how["causal"], "cap": how["softcap"]}
    sinks = sinks.requires_grad_() if sink is not None else None
    o, _ = formula(*leaves, None, sinks, None, **plain, seen=seen, z=1.0)
    leaves += [] if sinks is None else [sinks]
    grads = torch.autograd.grad(o, leaves, tensors[3])
    return [o[0, 0].detach(), *(x[0, 0] for x in grads[:3]), *grads[3:]]


@pytest.mark.parametrize("order", trace.ORDERS)
def test_every_composition_equals_autograd(order):
    for seed in range(300):
        (q, k, v, do), how, sink = drawn(seed)
        blocks = [1 + seed % 3, 1 + seed % 4]
        states = [*trace.forward(q, k, v, *blocks, order=order, sink=sink, **how)]
        saved = states[-1] if states else trace.start(q, v, sink)
        o, m, l = (saved[x] for x in "oml")
        steps = trace.backward(q, k, v, o, do, m, l, *blocks, order=order, **how)
        end = trace.start_backward(q, k, v)
        for end in steps:  # noqa: B007
            pass
        parts = o, *(end[x] for x in GRADIENTS)
        found = [torch.tensor(x, dtype=torch.float64) for x in parts]
        if sink is not None:
            gradient = trace.sink_gradient(sink, o, do, m, l)
            found.append(torch.tensor([gradient], dtype=torch.float64))
        expected = by_formula((q, k, v, do), how, sink)
        message = {"msg": lambda m, s=seed: f"case {s}: {m}"}
        assert_close(found, expected, rtol=0, atol=1e-10, **message)


GRADIENTS = "dq", "dk", "dv"


def test_a_sink_of_0_in_the_running_example_by_hand():
    """One more key of logit 0: ℓ grows by 2^{−m}, in units of τ, and O shrinks."""
    for blocks in itertools.product((1, 2, 4), (1, 2, 3)):
        *_, end = trace.forward(Q, K, V, *blocks, sink=0, **EXACT)
        ninths = [Fraction(9, 4), Fraction(9, 4), Fraction(9, 4), Fraction(9, 4)]
        m = [0, 1, 2, 2]
        l = [x + Fraction(1, 2**y) for x, y in zip(ninths, m, strict=True)]
        assert end["m"] == m and end["l"] == l
        plain = [*trace.forward(Q, K, V, *blocks, **EXACT)][-1]
        shrunk = [
            [x * a / b for x in row]
            for row, a, b in zip(plain["o"], ninths, l, strict=True)
        ]
        assert end["o"] == shrunk
        back = trace.sink_gradient(0, end["o"], DO, end["m"], end["l"], EXACT["exp"])
        delta = [sum(a * b for a, b in zip(*x)) for x in zip(end["o"], DO, strict=True)]
        weights = [Fraction(1, 2**y) / x for x, y in zip(l, m, strict=True)]
        assert back == -sum(a * b for a, b in zip(weights, delta, strict=True))


def test_a_window_leaves_out_tiles_on_both_sides():
    q = [[1.0]] * 8
    steps = [*trace.forward(q, q, q, 2, 2, window=(2, 0))]
    visited = {(x["i"], x["j"]) for x in steps}
    assert visited == {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3)}


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"window": (1,)}, ValueError, r"window must be None or \(left, right\)"),
        ({"window": (-1, 0)}, ValueError, "a whole number from 0 to .*, not"),
        ({"softcap": 0}, ValueError, "softcap must be a finite number above 0, not 0"),
        ({"softcap": "1"}, TypeError, "softcap must be None or a number, not '1'"),
        (
            {"window": (1, 0), "causal": "top-left"},
            ValueError,
            "causal must not be 'top-left' beside a window",
        ),
    ],
)
def test_what_cannot_be_is_named(options, error, message):
    with pytest.raises(error, match=message):
        trace.forward([[1]], [[1]], [[1]], 1, 1, **options)
