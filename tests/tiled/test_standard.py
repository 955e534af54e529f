"""The oracle itself: against brute force, PyTorch's own, and the definition of P."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from tilewise.standard import standard_forward
from tilewise.worked_example import SCALE, K, O, Q, V

from .._oracle import CAUSALS, brute, hidden_mask, largest_difference, random_qkv

SIZES = [(5, 5, 3, 3), (1, 9, 4, 2), (9, 4, 2, 5), (4, 9, 8, 1), (7, 1, 1, 6)]


def double(*shape):
    return torch.randn(*shape, dtype=torch.float64)


@pytest.mark.parametrize("causal", CAUSALS)
def test_equals_brute_force(causal):
    for seed in range(60):
        q, k, v, *_ = random_qkv(seed)
        scale = [None, 0.7, 0.0][seed % 3]
        tensors = (torch.tensor(x, dtype=torch.float64) for x in (q, k, v))
        o, _ = standard_forward(*tensors, scale=scale, causal=causal)
        expected = brute(q, k, v, scale=scale, causal=causal)
        assert largest_difference(o.tolist(), expected) < 1e-12


@pytest.mark.parametrize("n_q, n_k, d, d_v", SIZES)
@pytest.mark.parametrize("causal", CAUSALS)
def test_equals_pytorch(n_q, n_k, d, d_v, causal):
    torch.manual_seed(0)
    q, k, v = double(2, 3, n_q, d), double(2, 3, n_k, d), double(2, 3, n_k, d_v)
    hidden = hidden_mask(n_q, n_k, causal)
    full = hidden.all(-1)
    o, p = standard_forward(q, k, v, causal=causal)
    expected = sdpa(q, k, v, attn_mask=~hidden)
    assert o.shape == expected.shape and p.shape == (2, 3, n_q, n_k)
    assert (o - expected)[..., ~full, :].abs().max() < 1e-12
    assert o[..., full, :].abs().sum() == p[..., full, :].sum() == 0
    assert p.masked_select(hidden).abs().sum() == 0
    assert (p.sum(-1) - (~full).double()).abs().max() < 1e-12


def test_top_left_is_pytorch_is_causal():
    torch.manual_seed(1)
    for n_q, n_k in ((5, 5), (3, 8), (8, 3)):
        q, k, v = double(1, 1, n_q, 4), double(1, 1, n_k, 4), double(1, 1, n_k, 4)
        o, _ = standard_forward(q, k, v, causal="top-left")
        assert (o - sdpa(q, k, v, is_causal=True)).abs().max() < 1e-12


def test_bottom_right_is_top_left_where_lengths_agree_and_only_there():
    torch.manual_seed(2)
    q, k, v = double(6, 4), double(6, 4), double(6, 4)
    square = [standard_forward(q, k, v, causal=c)[0] for c in (True, "top-left")]
    assert torch.equal(*square)
    wide = [standard_forward(q[:4], k, v, causal=c)[0] for c in (True, "top-left")]
    assert (wide[0] - wide[1]).abs().max() > 0.1
    # bottom-right is what a cache needs: the last rows of the square, again
    last, _ = standard_forward(q[4:], k, v, causal=True)
    assert (last - square[0][4:]).abs().max() < 1e-12


def test_the_running_example():
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V))
    o, p = standard_forward(q, k, v, scale=SCALE)
    ninths = [[2, 2, 1, 4], [4, 2, 2, 1], [1, 2, 4, 2], [2, 2, 4, 1]]
    assert largest_difference(o.tolist(), O) < 1e-12
    assert largest_difference((9 * p).tolist(), ninths) < 1e-12


def test_a_row_without_keys_has_zero_gradient_and_spoils_no_other():
    torch.manual_seed(3)
    q, k, v = (double(n, 3).requires_grad_() for n in (6, 4, 4))
    o, _ = standard_forward(q, k, v, causal=True)  # rows 0 and 1 see nothing
    o.sum().backward()
    assert all(x.grad.isfinite().all() for x in (q, k, v))
    assert q.grad[:2].abs().sum() == 0 and q.grad[3:].abs().min() > 0


def test_real_nan_is_not_hidden():
    q, k, v = double(4, 2), double(4, 2), double(4, 2)
    q[2, 0] = math.nan
    o, _ = standard_forward(q, k, v)
    assert o.isnan().all(-1).tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_works_in_the_dtype_given(dtype):
    q, k, v = (torch.randn(5, 4).to(dtype) for _ in range(3))
    for causal in CAUSALS:
        o, p = standard_forward(q, k, v, causal=causal)
        assert o.dtype == p.dtype == dtype


def test_causal_by_another_name_is_refused():
    x = torch.randn(2, 2)
    with pytest.raises(ValueError, match="causal must be .* not 'bottom-right'"):
        standard_forward(x, x, x, causal="bottom-right")
