"""FlashAttention-1's forward: against the trace, masks, garbage and bad input."""

import math

import pytest
import torch
from torch.testing import assert_close  # shapes and dtypes too; −∞ is close to −∞ only

from tilewise import trace
from tilewise.flash1 import flash1_forward
from tilewise.standard import standard_forward
from tilewise.worked_example import SCALE, K, O, Q, V

from .._oracle import CAUSALS, largest_difference, random_qkv

HALF = [torch.float16, torch.bfloat16]
TINY = {"rtol": 0, "atol": 1e-12}


@pytest.mark.parametrize("causal", CAUSALS)
def test_float64_equals_the_trace_and_standard(causal):
    for seed in range(40):
        lists = random_qkv(seed)
        blocks = lists[3:]
        *_, last = trace.forward(*lists, causal=causal)
        q, k, v = (torch.tensor(x, dtype=torch.float64) for x in lists[:3])
        found = flash1_forward(q, k, v, *blocks, causal=causal)
        for name, x in zip("oml", found, strict=True):
            assert_close(x, torch.tensor(last[name], dtype=torch.float64), **TINY)
        o, _ = standard_forward(q, k, v, causal=causal)
        assert_close(found[0], o, **TINY)


def test_the_running_example():
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V))
    o, m, l = flash1_forward(q, k, v, 2, 2, scale=SCALE)
    assert largest_difference(o.tolist(), O) < 1e-12
    assert largest_difference((m / SCALE).tolist(), [0, 1, 2, 2]) < 1e-12
    assert largest_difference(l.tolist(), [9 / 4] * 4) < 1e-12


def test_batch_and_heads_in_front():
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 9, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 5)
    o, m, l = flash1_forward(q, k, v, 4, 2, causal=True)
    assert o.shape == (2, 3, 9, 5) and m.shape == l.shape == (2, 3, 9)
    for b in range(2):
        for h in range(3):
            alone = flash1_forward(q[b, h], k[b, h], v[b, h], 4, 2, causal=True)
            assert_close((o[b, h], m[b, h], l[b, h]), alone, rtol=0, atol=1e-6)


def test_rows_that_see_no_key():
    torch.manual_seed(1)
    q, k, v = torch.randn(7, 4), torch.randn(3, 4), torch.randn(3, 4)
    for block_rows in (1, 2, 4, 7):  # tiles with no such row, some, only such rows
        o, m, l = flash1_forward(q, k, v, block_rows, 2, causal=True)
        assert (o[:4] == 0).all() and (l[:4] == 0).all() and (m[:4] == -math.inf).all()
        assert o.isfinite().all() and (l[4:] >= 1).all()


def test_empty_tiles_are_never_read():
    torch.manual_seed(2)
    q, k, v = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 4)
    clean, _, _ = flash1_forward(q, k, v, 2, 2, causal=True)
    k[6:], v[6:] = math.nan, math.nan
    o, m, l = flash1_forward(q, k, v, 2, 2, causal=True)
    assert torch.equal(o[:6], clean[:6]) and o[6:].isnan().all()
    o, m, l = flash1_forward(q[:6], k, v, 2, 2, causal="top-left")
    assert torch.equal(o, clean[:6]) and m.isfinite().all() and l.isfinite().all()


def surrounded(x):
    """The same numbers, as a strided window in a tensor that is NaN elsewhere."""
    *batch, n, d = x.shape
    outer = torch.full((*batch, n + 5, 2 * d + 3), math.nan, dtype=x.dtype)
    window = outer[..., 2 : n + 2, 1 : 2 * d + 1 : 2]
    window.copy_(x)
    return window


@pytest.mark.parametrize("causal", CAUSALS)
def test_garbage_outside_the_input_does_not_matter(causal):
    torch.manual_seed(3)
    q, k, v = torch.randn(2, 11, 6), torch.randn(2, 9, 6), torch.randn(2, 9, 3)
    found = flash1_forward(*map(surrounded, (q, k, v)), 4, 5, causal=causal)
    clean = flash1_forward(q, k, v, 4, 5, causal=causal)
    assert_close(found, clean, rtol=0, atol=1e-6)


def test_garbage_in_fresh_memory_does_not_matter():
    torch.manual_seed(4)
    q, k, v = torch.randn(11, 6), torch.randn(9, 6), torch.randn(9, 3)
    clean = flash1_forward(q, k, v, 4, 5, causal=True)
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(3).isnan().all()  # as PyTorch promises in this mode
        found = flash1_forward(q, k, v, 4, 5, causal=True)
    finally:
        torch.use_deterministic_algorithms(False)
    assert all(torch.equal(x, y) for x, y in zip(found, clean, strict=True))


def test_the_input_is_left_alone_and_the_result_is_fresh():
    torch.manual_seed(5)
    q, k, v = torch.randn(3, 6, 4).requires_grad_()
    before = q.clone(), k.clone(), v.clone()
    first = flash1_forward(q, k, v, 4, 4)
    kept = [x.clone() for x in first]
    flash1_forward(2 * q, k, v, 4, 4)
    assert all(torch.equal(x, y) for x, y in zip((q, k, v), before, strict=True))
    assert all(torch.equal(x, y) for x, y in zip(first, kept, strict=True))
    assert not any(x.requires_grad for x in first)  # the backward is an algorithm too


def test_scores_far_beyond_the_range_of_exp():
    q, k = torch.tensor([[1000.0], [-1000.0]]), torch.tensor([[1.0], [-1.0], [1.0]])
    v = torch.tensor([[2.0], [7.0], [4.0]])
    o, m, l = flash1_forward(q, k, v, 1, 1, scale=1)
    assert o.tolist() == [[3.0], [7.0]]
    assert m.tolist() == [1000.0, 1000.0] and l.tolist() == [2.0, 1.0]


@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_sums_do_not_overflow_or_stall_in_half_precision(dtype):
    n = 70_000  # beyond fp16's 65 504, and far beyond where bf16 can add 1
    q, k = torch.zeros(1, 1, dtype=dtype), torch.zeros(n, 1, dtype=dtype)
    o, m, l = flash1_forward(q, k, torch.ones(n, 1, dtype=dtype), 1, 1000)
    assert (o.item(), m.item(), l.item()) == (1.0, 0.0, n)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_is_not_hidden(bad):
    torch.manual_seed(6)
    q, k, v = torch.randn(6, 4), torch.randn(6, 4).abs(), torch.randn(6, 4)
    q[3, 1] = bad
    o, _, l = flash1_forward(q, k, v, 2, 2)
    assert o.isnan().all(-1).tolist() == [r == 3 for r in range(6)]
    assert l.isnan().tolist() == [r == 3 for r in range(6)]


X = torch.ones(2, 5, 4)
GOOD = {"q": X, "k": X, "v": X, "block_rows": 2, "block_cols": 2}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"q": X[0, 0]}, r"\(..., N, d\) and not empty: q \(4,\)"),
        ({"k": X[:, :0], "v": X[:, :0]}, r"not empty: .* k \(2, 0, 4\)"),
        ({"q": X[:1]}, r"batch or heads: q \(1, 5, 4\), k \(2, 5, 4\)"),
        ({"v": X[0]}, r"batch or heads: .* v \(5, 4\)"),
        ({"q": X[..., :3]}, r"q and k differ in d: q \(2, 5, 3\)"),
        ({"v": X[:, :4]}, r"k and v differ in N: .* v \(2, 4, 4\)"),
        ({"k": X.double()}, "one float: torch.float32, torch.float64"),
        (dict.fromkeys("qkv", X.long()), "one float: torch.int64"),
        ({"block_rows": 0}, "block_rows must be a whole number of at least 1, not 0"),
        ({"block_cols": -1}, "block_cols must be a whole number of at least 1, not -1"),
        ({"block_cols": 2.0}, "block_cols must be a whole number .* not 2.0"),
        (
            {"causal": "bottom"},
            "causal must be False, True or 'top-left', not 'bottom'",
        ),
    ],
)
def test_what_does_not_fit_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        flash1_forward(**GOOD | change)
