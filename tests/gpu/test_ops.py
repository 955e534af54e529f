"""The public functions on a GPU: every path against float64."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as theirs

from tilewise import flash_attention
from tilewise import scaled_dot_product_attention as sdpa
from tilewise.dropout import keep_factors

from .._oracle import assert_as_good, floors
from ..kernels._backward import exact
from ._draw import draw, run

if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)
HALF, BF16, FP32, FP64 = torch.half, torch.bfloat16, torch.float32, torch.float64
CASES = [  # dtype, batch, heads, key heads, N_q, N_k, d, causal, scale
    (BF16, 2, 4, 4, 512, 512, 64, False, None),
    (BF16, 2, 4, 2, 512, 512, 128, True, None),
    (HALF, 1, 6, 2, 333, 470, 128, True, None),
    (BF16, 1, 4, 1, 470, 333, 64, True, 0.2),
    (HALF, 2, 2, 2, 200, 300, 80, "top-left", -0.1),
    (BF16, 1, 2, 2, 300, 200, 96, False, None),
    (BF16, 1, 8, 2, 1, 1000, 128, True, None),
    (BF16, 1, 2, 1, 130, 260, 256, True, None),
    (HALF, 1, 2, 2, 100, 130, 136, True, None),
    (HALF, 2, 2, 2, 77, 77, 16, True, None),
    (FP32, 1, 4, 2, 200, 257, 64, True, None),
    (FP64, 1, 2, 2, 65, 70, 24, True, None),
    (BF16, 1, 2, 2, 65, 70, 20, True, None),  # by tiles in PyTorch, as fp64
    (BF16, 1, 2, 2, 65, 70, 264, True, None),
]


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_flash_attention_against_float64(case, deterministic):
    dtype, *_, causal, scale = case
    q, k, v, do, dlse = draw(case, seed=CASES.index(case))
    dlse = dlse.to(torch.promote_types(dtype, FP32))

    def f(*x):
        return flash_attention(*x, causal=causal, scale=scale, return_lse=True)

    true = exact(q, k, v, do, dlse, causal, scale)
    plain = exact(q, k, v, do, dlse, causal, scale, dtype)
    least = floors(q, k, v, do, dlse, scale)
    found = run(f, (q, k, v), (do, dlse), deterministic)
    assert_as_good(found, true, plain, least, units=2, eps=torch.finfo(dtype).eps)


MASKS = {
    "bools": lambda n, m: torch.rand(n, m, device="cuda") > 0.3,
    "padding": lambda n, m: torch.arange(m, device="cuda")[None] < m - 20,
    "floats": lambda n, m: torch.randn(2, 1, n, m, device="cuda", dtype=BF16),
    "none": lambda n, m: None,
}


@pytest.mark.parametrize("dropout_p", [0.0, 0.3])
@pytest.mark.parametrize("name", MASKS)
def test_masks_and_dropout(name, dropout_p):
    """Against PyTorch's formula in float64, with the weights that ours drops."""
    q, k, v, do, _ = draw((BF16, 2, 4, 4, 70, 90, 64))
    mask = MASKS[name](70, 90)
    results = []
    for dtype in (BF16, FP64, BF16):
        tensors = [x.to(dtype) for x in (q, k, v)]
        bias = None if mask is None else mask.to(dtype)
        if mask is not None and mask.dtype == torch.bool:
            bias = torch.zeros_like(bias).masked_fill(~mask, -torch.inf)
        torch.manual_seed(5)
        seed = int(torch.randint(2**63 - 1, ()))
        z = keep_factors(dropout_p, seed, 2, 4)
        at = torch.arange(70, device="cuda")[:, None], torch.arange(90, device="cuda")
        formula = torch.ops.aten._scaled_dot_product_attention_math

        def plain(*x, bias=bias, z=z, at=at, formula=formula):
            drop = z(*at) > 0 if dropout_p else None
            return [formula(*x, bias, dropout_p, False, drop)[0]]

        def ours(*x):
            torch.manual_seed(5)
            return [sdpa(*x, mask, dropout_p)]

        f = plain if results else ours
        results.append(run(f, tensors, [do.to(dtype)]))
    assert_as_good(*results, units=2)


@pytest.mark.parametrize("shape", [(300, 64), (3, 300, 64), (2, 2, 3, 130, 128)])
def test_any_number_of_axes(shape):
    torch.manual_seed(0)
    q, k, v, do = (torch.randn(shape, device="cuda").to(BF16) for _ in range(4))
    found = run(lambda *x: [sdpa(*x, is_causal=True)], (q, k, v), [do])
    wide = [x.double() for x in (q, k, v)]
    true = run(lambda *x: [theirs(*x, is_causal=True)], wide, [do.double()])
    plain = run(lambda *x: [theirs(*x, is_causal=True)], (q, k, v), [do])
    assert_as_good(found, true, plain, units=2)


@pytest.mark.parametrize("d", [64, 128])
def test_a_sum_hands_back_one_number(d):
    """Its gradient is one number, expanded to dO's shape: strides of 0."""
    x = torch.randn(1, 2, 300, d, device="cuda", dtype=BF16)
    grads = []
    for f, dtype in ((flash_attention, BF16), (theirs, FP64), (theirs, BF16)):
        y = x.detach().to(dtype).requires_grad_()
        f(y, y, y).sum().backward()
        grads.append([y.grad])
    assert_as_good(*grads, units=2)
