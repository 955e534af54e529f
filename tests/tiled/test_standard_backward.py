"""Standard attention's backward: against autograd, the worked example, and itself."""

import pytest
import torch
from torch.testing import assert_close

from tilewise.standard import standard_backward, standard_forward
from tilewise.worked_example import DO, SCALE, K, Q, V

from .._oracle import CAUSALS, DK, DQ, DV, autograd

TINY = {"rtol": 0, "atol": 1e-12}
SIZES = [(5, 5, 3, 3), (1, 9, 4, 2), (9, 4, 2, 5), (4, 9, 8, 1), (7, 1, 1, 6)]


def double(*shape):
    return torch.randn(*shape, dtype=torch.float64)


@pytest.mark.parametrize("n_q, n_k, d, d_v", SIZES)
@pytest.mark.parametrize("causal", CAUSALS)
@pytest.mark.parametrize("scale", [None, 0.7, 0.0, -0.3])
def test_equals_autograd(n_q, n_k, d, d_v, causal, scale):
    torch.manual_seed(0)
    q, k, v = double(2, 3, n_q, d), double(2, 3, n_k, d), double(2, 3, n_k, d_v)
    do, options = double(2, 3, n_q, d_v), {"scale": scale, "causal": causal}
    _, p = standard_forward(q, k, v, **options)
    found = standard_backward(q, k, v, p, do, scale=scale)
    assert_close(found, autograd(q, k, v, do, **options)[2:], **TINY)


def test_the_running_example():
    q, k, v, do = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V, DO))
    _, p = standard_forward(q, k, v, scale=SCALE)
    dq, dk, dv = standard_backward(q, k, v, p, do, scale=SCALE)
    ninths = [torch.tensor(x, dtype=torch.float64) for x in (DQ, DK, DV)]
    assert_close((9 * dq / SCALE, 9 * dk / SCALE, 9 * dv), tuple(ninths), **TINY)


def test_rows_without_keys_have_zero_gradient():
    torch.manual_seed(1)
    q, k, v, do = (double(n, 3) for n in (6, 4, 4, 6))
    _, p = standard_forward(q, k, v, causal=True)  # rows 0 and 1 see nothing
    dq, dk, dv = standard_backward(q, k, v, p, do)
    assert (dq[:2] == 0).all() and dq[3:].abs().min() > 0
    do[:2] *= 1e6  # what reaches a row without keys goes nowhere
    assert_close(standard_backward(q, k, v, p, do), (dq, dk, dv), **TINY)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_works_in_the_dtype_given(dtype):
    q, k, v, do = (torch.randn(5, 4).to(dtype) for _ in range(4))
    _, p = standard_forward(q, k, v)
    assert {x.dtype for x in standard_backward(q, k, v, p, do)} == {dtype}
