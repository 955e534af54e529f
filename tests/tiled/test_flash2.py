"""FlashAttention-2 on small sizes: a bias in ragged tiles, and where it rounds."""

import math

import pytest
import torch

from tilewise.flash2 import flash2_backward, flash2_forward

N_Q, N_K, D, D_V = 5, 7, 4, 3
ROWS, COLS = torch.arange(N_Q)[:, None], torch.arange(N_K)


def slope(rows, cols):
    """No two diagonals are alike, and no matrix is its own mirror image."""
    return 0.3 * rows - 0.7 * cols + 0.1 * rows * cols


def drawn(dtype, seed=3):
    """q, k, v, do."""
    made = torch.Generator().manual_seed(seed)
    shapes = (N_Q, D), (N_K, D), (N_K, D_V), (N_Q, D_V)
    how = {"generator": made, "dtype": torch.float64}
    return [torch.randn(x, **how).to(dtype) for x in shapes]


def test_a_bias_is_added_to_the_scores():
    q, k, v, do = (x.requires_grad_() for x in drawn(torch.float64))
    s = q @ k.T / math.sqrt(D) + slope(ROWS, COLS)  # (N_q, N_k)
    whole = s.softmax(-1) @ v
    o, lse = flash2_forward(q, k, v, 2, 3, bias=slope)
    assert torch.allclose(o, whole, rtol=1e-12, atol=1e-12)
    assert torch.allclose(lse, s.logsumexp(-1), rtol=1e-12)
    made = flash2_backward(q, k, v, o, do, lse, 2, 3, bias=slope)
    expected = torch.autograd.grad(whole, (q, k, v), do)
    for x, y in zip(made, expected, strict=True):
        assert torch.allclose(x, y, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_are_rounded_once(dtype):
    """The same numbers in fp32 give the same gradients, rounded at the end alone."""
    q, k, v, do = drawn(dtype)
    o, lse = flash2_forward(q, k, v, 2, 2)
    made = flash2_backward(q, k, v, o, do, lse, 2, 2)
    wide = flash2_backward(*(x.float() for x in (q, k, v, o, do)), lse, 2, 2)
    for x, y in zip(made, wide, strict=True):
        assert x.dtype == dtype and y.dtype == torch.float32
        assert torch.equal(x, y.to(dtype))
