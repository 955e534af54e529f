"""Results and gradients by tiles are as close to float64 as plain PyTorch's."""

import functools

import pytest
import torch

from ..attention._attention_cases import both_orders, case
from ..attention._gradients import attend, autograd

NAMES = ("o", "lse", "dq", "dk", "dv")


def floors(tensors, scale, z):
    """The largest numbers that a result is the sum of, or the difference.

    dS = P ∘ (dP − δ) subtracts two numbers as large as dP = Z ∘ dO Vᵀ, and is exactly 0
    for a row that sees one key (δ = dP): the code has δ from the stored O, so that both
    are rounded, twice dP in all, and one key or query carries that into dQ or dK.
    """
    q, k, v, do = tensors
    v = v.repeat_interleave(do.shape[1] // v.shape[1], 1)
    q, k, dp, v, do = (x.abs().max() for x in (q, k, do @ v.mT, v, do))
    ds = scale * 2 * z * dp
    return z * v, 1, ds * k, ds * q, z * do


@functools.cache
def drawn(seed, dtype):
    """A case of both orders: tensors, blocks, options; float64's results, plain's.

    Every tenth is large. L is plain PyTorch's in fp32, whatever the dtype.
    """
    tensors, blocks, ours, plain = case(seed, dtype, 110 if seed % 10 == 0 else 40)
    exact = autograd(*(x.double() for x in tensors), **plain)
    scale = abs(ours["scale"] or tensors[0].shape[-1] ** -0.5)
    z = torch.as_tensor(plain.get("factors", 1.0)).double().max()
    limits = floors([x.double() for x in tensors], scale, z)
    usual = [*autograd(*tensors, **plain)]
    usual[1] = attend(*(x.float() for x in tensors[:3]), **plain)[1]
    return tensors, blocks, ours, exact, usual, limits


def no_worse_than_plain(passes, dtype, seeds):
    """Error ≤ 2 × plain PyTorch's in the same dtype, both against float64.

    Plus one unit in the last place of the largest number on the way (see floors).
    """
    for seed in seeds:
        tensors, blocks, ours, exact, with_torch, limits = drawn(seed, dtype)
        found = passes(*tensors, *blocks, **ours)
        for name, x, y, other, floor in zip(NAMES, found, exact, with_torch, limits):
            assert x.dtype == (torch.float32 if name == "lse" else dtype)
            assert x.shape == y.shape and torch.equal(x.isinf(), y.isinf())
            x, y, other = (a.double().nan_to_num(neginf=0) for a in (x, y, other))
            error, allowed = ((a - y).abs().max() for a in (x, other))
            floor = torch.finfo(found[1 if name == "lse" else 0].dtype).eps * max(
                floor, y.abs().max()
            )
            assert error <= 2 * allowed + floor, (name, seed, error, allowed, floor)


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
    with_torch = autograd(*tensors)
    found = passes(*tensors, 1, 1)
    assert {x.dtype for x in (found[0], *found[2:])} == {torch.bfloat16}
    for x, y, other in [*zip(found, exact, with_torch)][2:]:
        error, allowed = ((a.double() - y).abs().max() for a in (x, other))
        assert error <= 2 * allowed + 2**-8 * y.abs().max()
