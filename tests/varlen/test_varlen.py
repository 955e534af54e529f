"""Attention over packed documents on the CPU: right, and none sees another."""

import math

import pytest
import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

import tilewise
from tilewise import flash_attention_varlen
from tilewise.attention import passes
from tilewise.varlen import passes as varlen_passes

from .._oracle import CAUSALS
from ._varlen import assert_right, bounds, by_document, draw, ends, gradients, leaks

TINY = {"rtol": 0, "atol": 1e-10}
LENGTHS = [7, 0, 13, 1, 30], [9, 4, 13, 0, 22]


def packed(lengths_q, lengths_k, dtype=torch.int64, **options):
    """flash_attention_varlen of q, k, v, with L."""
    places = ends(lengths_q, dtype), ends(lengths_k, dtype)
    options = {"return_lse": True} | options
    return lambda *x: flash_attention_varlen(*x, *places, **options)


def inputs(dtype=torch.float32, heads=(4, 2), lengths=LENGTHS, d=8):
    torch.manual_seed(0)
    shapes = [
        (sum(n), h, d) for h, n in zip((*heads, heads[1]), (*lengths, lengths[1]))
    ]
    return [torch.randn(shape, dtype=dtype) for shape in shapes]


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_float64_equals_standard_attention_of_each_document(start, monkeypatch):
    for seed in range(start, start + 50):
        tensors, given, *lengths, options = draw(seed)
        sizes = 4 + seed % 7, 3 + seed % 5
        monkeypatch.setattr(varlen_passes, "tile_sizes", lambda q, s=sizes: s)
        dtype = (torch.int32, torch.int64)[seed % 2]
        found = gradients(packed(*lengths, dtype, **options), tensors, given)
        expected = gradients(
            lambda *x, n=lengths, o=options: by_document(*x, *n, **o), tensors, given
        )
        assert_close(found, expected, msg=lambda m, s=seed: f"case {s}: {m}", **TINY)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_errors_are_at_most_twice_those_of_plain_pytorch(dtype):
    for seed in range(20):
        tensors, given, *lengths, options = draw(seed, dtype=dtype, most=90)
        found = gradients(packed(*lengths, **options), tensors, given)
        assert_right(found, tensors, given, lengths, options)


@pytest.mark.parametrize("causal", CAUSALS)
def test_its_own_tiles(causal):
    lengths = [700, 0, 90], [650, 20, 90]
    tensors = inputs(torch.float64, lengths=lengths, d=4)
    rows, cols = passes.tile_sizes(tensors[0][:700].transpose(0, 1))
    assert rows < 700 and cols < 650
    given = torch.randn(790, 4, 4).double(), torch.randn(790, 4).double()
    found = gradients(packed(*lengths, causal=causal), tensors, given)
    expected = gradients(
        lambda *x: by_document(*x, *lengths, causal=causal), tensors, given
    )
    assert_close(found, expected, **TINY)


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("causal", CAUSALS)
def test_no_document_changes_another_by_a_bit(causal, dtype, value):
    tensors = inputs(dtype)
    given = torch.randn_like(tensors[0]), torch.randn(51, 4, dtype=dtype)
    for b in (0, 2, 4):
        f = packed(*LENGTHS, causal=causal)
        assert leaks(f, tensors, given, *LENGTHS, b, value) == []


def test_a_document_is_the_same_wherever_it_stands():
    """Alone, or behind others of any length: to the bit, and flash_attention's."""
    tensors = inputs(lengths=([5, 33], [3, 47]))
    given = torch.randn_like(tensors[0]), torch.randn(38, 4)
    both = gradients(packed([5, 33], [3, 47], causal=True), tensors, given)
    alone = [x[5:] if len(x) == 38 else x[3:] for x in (*tensors, *given)]
    one = gradients(packed([33], [47], causal=True), alone[:3], alone[3:])
    for i, (x, y) in enumerate(zip(both, one, strict=True)):
        assert torch.equal(x[3:] if i > 2 else x[5:], y)

    def usual(*x):
        x = [y.transpose(0, 1)[None] for y in x]
        o, lse = tilewise.flash_attention(*x, causal=True, return_lse=True)
        return o[0].transpose(0, 1), lse[0].T

    assert all(map(torch.equal, one, gradients(usual, alone[:3], alone[3:])))


def test_rows_that_see_nothing_have_no_gradient_whatever_comes_back():
    q, k, v = inputs(torch.float64)
    given = torch.randn_like(q), torch.ones(51, 4).double()
    given[1][20:21] = given[1][:0].sum() / 0  # NaN: document 3 has no keys
    x = [y.requires_grad_() for y in (q, k, v)]
    o, lse = packed(*LENGTHS, causal=True)(*x)
    dq, dk, dv = torch.autograd.grad((o, lse), x, given)
    empty, more = bounds(LENGTHS[0])[3], slice(21, 29)  # 30 rows, 22 keys
    for at in (empty, more):
        assert (o[at] == 0).all() and (lse[at] == -math.inf).all()
        assert (dq[at] == 0).all()
    assert (dk[9:13] == 0).all() and (dv[9:13] == 0).all()  # keys without rows
    assert all(y.isfinite().all() for y in (dq, dk, dv))


@pytest.mark.parametrize("totals", [(0, 0), (5, 0), (0, 5)])
def test_nothing_at_all(totals):
    lengths = [[0, n, 0] for n in totals]
    x = [y.requires_grad_() for y in inputs(lengths=lengths)]
    o, lse = packed(*lengths)(*x)
    assert o.shape == x[0].shape and (o == 0).all() and (lse == -math.inf).all()
    assert all((g == 0).all() for g in torch.autograd.grad(o.sum(), x))


def test_gradients_of_gradients_are_refused():
    x = inputs()[0].requires_grad_()
    f = packed(LENGTHS[0], LENGTHS[0])
    (dx,) = torch.autograd.grad(f(x, x, x)[0].sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="can be differentiated once"):
        dx.sum().backward()


class Largest(TorchDispatchMode):
    """Notes the most numbers that any result has."""

    most = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for x in out if isinstance(out, tuple | list) else [out]:
            if isinstance(x, torch.Tensor):
                self.most = max(self.most, x.numel())
        return out


def test_no_matrix_of_all_rows_and_keys():
    """3 documents of 1000 rows, d = 8: nothing as large as a quarter of 1000 × 1000."""
    x = [y.requires_grad_() for y in inputs(heads=(1, 1), lengths=[[1000] * 3] * 2)]
    with Largest() as seen:
        packed([1000] * 3, [1000] * 3, causal=True)(*x)[0].sum().backward()
    assert 24000 <= seen.most <= 2**18
