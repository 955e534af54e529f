"""Forward passes by tiles: against the trace, garbage, and numbers at their ends."""

import math

import pytest
import torch
from torch.testing import assert_close  # shapes and dtypes too; −∞ is close to −∞ only

from tilewise import trace
from tilewise.flash1 import flash1_forward
from tilewise.flash2 import flash2_forward

from .._oracle import CAUSALS, random_qkv

HALF = [torch.float16, torch.bfloat16]
TINY = {"rtol": 0, "atol": 1e-12}


def flash1(*given, **options):
    """(o, lse) of FlashAttention-1."""
    o, m, l = flash1_forward(*given, **options)
    return o, m + l.log()


both = pytest.mark.parametrize("forward", [flash1, flash2_forward])


@pytest.mark.parametrize("causal", CAUSALS)
def test_float64_equals_the_trace(causal):
    for seed in range(40):
        lists = random_qkv(seed)
        blocks = lists[3:]
        *_, last = trace.forward(*lists, causal=causal)
        q, k, v = (torch.tensor(x, dtype=torch.float64) for x in lists[:3])
        found = flash1_forward(q, k, v, *blocks, causal=causal)
        expected = [torch.tensor(last[x], dtype=torch.float64) for x in "oml"]
        assert_close(found, tuple(expected), **TINY)


def surrounded(x):
    """The same numbers, as a strided window in a tensor that is NaN elsewhere."""
    *batch, n, d = x.shape
    outer = torch.full((*batch, n + 5, 2 * d + 3), math.nan, dtype=x.dtype)
    window = outer[..., 2 : n + 2, 1 : 2 * d + 1 : 2]
    window.copy_(x)
    return window


@both
@pytest.mark.parametrize("causal", CAUSALS)
def test_garbage_outside_the_input_does_not_matter(forward, causal):
    torch.manual_seed(3)
    q, k, v = torch.randn(2, 11, 6), torch.randn(2, 9, 6), torch.randn(2, 9, 3)
    found = forward(*map(surrounded, (q, k, v)), 4, 5, causal=causal)
    clean = forward(q, k, v, 4, 5, causal=causal)
    assert_close(found, clean, rtol=0, atol=1e-6)


@both
def test_the_input_is_left_alone_and_the_result_is_fresh(forward):
    torch.manual_seed(5)
    q, k, v = torch.randn(3, 6, 4).requires_grad_()
    before = q.clone(), k.clone(), v.clone()
    first = forward(q, k, v, 4, 4)
    kept = [x.clone() for x in first]
    forward(2 * q, k, v, 4, 4)
    assert all(map(torch.equal, (q, k, v), before))
    assert all(map(torch.equal, first, kept))
    assert not any(x.requires_grad for x in first)  # the backward is an algorithm too


@both
def test_scores_far_beyond_the_range_of_exp(forward):
    q, k = torch.tensor([[1000.0], [-1000.0]]), torch.tensor([[1.0], [-1.0], [1.0]])
    v = torch.tensor([[2.0], [7.0], [4.0]])
    o, lse = forward(q, k, v, 1, 1, scale=1)
    assert o.tolist() == [[3.0], [7.0]]
    assert_close(lse, torch.tensor([1000 + math.log(2), 1000]))


@both
@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_sums_do_not_overflow_or_stall_in_half_precision(forward, dtype):
    n = 70_000  # beyond fp16's 65 504, and far beyond where bf16 can add 1
    q, k = torch.zeros(1, 1, dtype=dtype), torch.zeros(n, 1, dtype=dtype)
    o, lse = forward(q, k, torch.ones(n, 1, dtype=dtype), 1, 1000)
    assert o.item() == 1 and lse.item() == pytest.approx(math.log(n), rel=1e-6)


@both
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_is_not_hidden(forward, bad):
    torch.manual_seed(6)
    q, k, v = torch.randn(6, 4), torch.randn(6, 4).abs(), torch.randn(6, 4)
    q[3, 1] = bad
    o, lse = forward(q, k, v, 2, 2)
    assert o.isnan().all(-1).tolist() == [r == 3 for r in range(6)]
    assert lse.isnan().tolist() == [r == 3 for r in range(6)]
