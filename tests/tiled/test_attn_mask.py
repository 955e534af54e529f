"""A mask as PyTorch passes it: its gradient, in narrow numbers too, and tiles of it."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from tilewise.attention.mask import mask_gradient, mask_option
from tilewise.flash2 import flash2_forward
from tilewise.variants import score_gradients

from .._oracle import assert_as_good

SHAPES = (5, 7), (1, 7), (5, 1), (3, 5, 7), (2, 1, 5, 7), (2, 3, 1, 1)


def drawn(shape, dtype=torch.float64):
    torch.manual_seed(0)
    shapes = (2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8), (2, 3, 5, 8), shape
    return [torch.randn(x, dtype=torch.float64).to(dtype) for x in shapes]


def tiled(q, k, v, do, mask, blocks, **how):
    """The gradient of a float mask by tiles."""
    o, lse = flash2_forward(q, k, v, *blocks, **mask_option(mask), **how)
    saved = q, k, v, o, do, lse, *blocks
    return mask_gradient(mask, score_gradients(*saved, **mask_option(mask), **how))


def by_autograd(q, k, v, do, mask):
    mask = mask.clone().requires_grad_()
    o = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return torch.autograd.grad(o, mask, do)[0]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blocks", [(2, 3), (5, 7), (1, 1), (9, 4)])
def test_the_gradient_is_autograds_whatever_repeats(shape, blocks):
    given = drawn(shape)
    found = tiled(*given, blocks)
    assert found.shape == shape and found.dtype == torch.float64
    assert_close(found, by_autograd(*given), rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("shape", [x for x in SHAPES if x[-1] > 1])
def test_in_half_precision_as_close_as_plain_pytorch(shape, dtype):
    """The error is at most twice PyTorch's, and one rounding of the result.

    A number added to a whole row changes nothing, so its gradient is 0, or rounding.
    """
    given = drawn(shape, dtype)
    exact = by_autograd(*(x.double() for x in given))
    found, plain = tiled(*given, (2, 3)), by_autograd(*given)
    assert found.dtype == dtype and found.shape == shape
    assert_as_good([found], [exact], [plain])


def test_a_mask_of_bools_shows_and_one_of_floats_is_added():
    assert mask_option(None) == {}
    for mask, name in ((torch.ones(5, 7).bool(), "mask"), (torch.ones(5, 7), "bias")):
        (found,) = mask_option(mask).items()
        assert found[0] == name
        rows, cols = torch.tensor([[1], [4]]), torch.tensor([0, 2, 6])
        mask.copy_(torch.arange(35).view(5, 7) % 3)
        assert found[1](rows, cols).equal(mask[rows, cols])
