"""Results and gradients by tiles are as close to float64 as plain PyTorch's."""

import functools

import pytest
import torch

from .._oracle import assert_as_good, attend, autograd, floors
from ..attention._attention_cases import both_orders, case


@functools.cache
def drawn(seed, dtype):
    """A case of both orders: tensors, blocks, options; float64's, plain's.

    Every tenth is large. L is plain PyTorch's in fp32, whatever the dtype.
    """
    tensors, blocks, ours, plain = case(seed, dtype, 110 if seed % 10 == 0 else 40)
    exact = autograd(*(x.double() for x in tensors), **plain)
    z = torch.as_tensor(plain.get("factors", 1.0)).max().item()
    usual = [*autograd(*tensors, **plain)]
    usual[1] = attend(*(x.float() for x in tensors[:3]), **plain)[1]
    least = floors(*tensors, scale=ours["scale"], z=z)
    return tensors, blocks, ours, exact, usual, least


def no_worse_than_plain(passes, dtype, seeds):
    for seed in seeds:
        tensors, blocks, ours, *expected = drawn(seed, dtype)
        found = passes(*tensors, *blocks, **ours)
        assert [x.dtype for x in found] == [dtype, torch.float32, dtype, dtype, dtype]
        assert_as_good(found, *expected)


@both_orders
@pytest.mark.few(2)
@pytest.mark.parametrize("start", range(0, 300, 100))
def test_float32_gradients_are_as_close_as_plain_pytorch(passes, start):
    no_worse_than_plain(passes, torch.float32, range(start, start + 100))


@both_orders
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_gradients_are_as_close_as_plain_pytorch(passes, dtype):
    no_worse_than_plain(passes, dtype, range(40))


@both_orders
@pytest.mark.parametrize("n_q, n_k", [(3, 400), (400, 3)])
def test_sums_over_many_tiles_are_kept_wide(passes, n_q, n_k):
    """dQ of 400 tiles of one key, dK and dV of 400 tiles of one query."""
    torch.manual_seed(0)
    shapes = (1, 2, n_q, 8), (1, 1, n_k, 8), (1, 1, n_k, 8), (1, 2, n_q, 8)
    tensors = [torch.randn(shape).bfloat16() for shape in shapes]
    exact = autograd(*(x.double() for x in tensors))
    found = passes(*tensors, 1, 1)
    assert {x.dtype for x in (found[0], *found[2:])} == {torch.bfloat16}
    assert_as_good(found[2:], exact[2:], autograd(*tensors)[2:], units=0.5)
