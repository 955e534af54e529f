"""gluon_wide_backward on a Hopper GPU: every case it covers, against float64."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from ..kernels._backward import CASES, exact, hold, poisoned, rung, tensors
from .test_backward import MORE

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
pytestmark = pytest.mark.skipif(not HOPPER, reason="needs a Hopper GPU")
HALF = torch.bfloat16, torch.float16
SHAPES = [*CASES, *MORE]  # batch, heads, key heads, N_q, N_k, d, causal
SHAPES += [
    (1, 8, 1, 333, 129, 256, "top-left"),
    (3, 4, 2, 129, 1000, 136, True),
    (1, 2, 2, 1000, 200, 192, True),
    (1, 2, 1, 200, 1000, 256, "top-left"),
    (1, 1, 1, 1, 1, 256, False),
    (1, 4, 1, 63, 2000, 200, False),
    (2, 40_000, 40_000, 16, 16, 16, True),  # more heads than a grid axis has
]
SHAPES += [  # every kernel: with masks or without, shared heads, ends of tiles
    (2, 4, 4 // group, n_q, n_k, 256, causal)
    for group in (1, 4)
    for n_q, n_k in ((512, 512), (500, 450))
    for causal in (False, True)
]


def backward(*args, **options):
    return rung("gluon_wide_backward").backward(*args, **options)


@pytest.mark.parametrize("case", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", HALF, ids=lambda x: str(x)[6:])
def test_against_float64(dtype, case):
    """Fresh numbers each time; with dL and without; a scale of its own now and then."""
    seed = torch.seed() % 2**31
    given = tensors(case, dtype, "cuda", seed)
    scale = {} if seed % 3 else {"scale": (-0.3, 0.0)[seed % 2]}
    hold(backward, case, dtype, device="cuda", dlse=seed % 2 == 0, given=given, **scale)


def test_scores_far_from_zero():
    """L far below and above 0: what is past the end must not become ∞ · 0."""
    for sign in (1, -1):
        case = 1, 2, 1, 200, 203, 256, False
        q, k, v, do, row = tensors(case, torch.bfloat16, "cuda")
        q, k = q.abs() + 2, sign * (k.abs() + 2)
        hold(backward, case, torch.bfloat16, device="cuda", given=(q, k, v, do, row))


def test_rows_without_keys():
    q, k, v, do, row = tensors((1, 2, 2, 200, 100, 192, 0), torch.float16, "cuda")
    with poisoned():
        found = backward(q, k, v, q * 0, do, torch.full_like(row, -torch.inf), dlse=row)
    assert all((x == 0).all() for x in found)


def test_strides():
    """(batch, N, heads, d) in memory, and every second number."""
    case = 2, 4, 2, 200, 300, 192, True
    q, k, v, do, row = tensors(case, torch.bfloat16, "cuda")
    k, do = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (k, do))
    q = torch.stack([q, q], -1).flatten(-2)[..., ::2]
    hold(backward, case, torch.bfloat16, device="cuda", given=(q, k, v, do, row))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d, kv_heads", [(256, 8), (192, 2)])
def test_fifty_times_the_same_bits(d, kv_heads, causal):
    case = 2, 8, kv_heads, 1024, 1024, d, 0
    q, k, v, do, lse = tensors(case, torch.bfloat16, "cuda")
    first = None
    for _ in range(50):
        with poisoned():
            found = backward(q, k, v, q, do, lse + 9, causal=causal)
        assert all(x.isfinite().all() for x in found)
        first = first or found
        assert all(map(torch.equal, first, found))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [1024, 4096])
def test_errors_beside_pytorch(n, causal):
    """At most 1.1 times the error of SDPA's flash backend, in the Euclidean norm."""
    case = 1, 3, 3, n, n, 256, causal
    q, k, v, do, _ = tensors(case, torch.bfloat16, "cuda", torch.seed() % 2**31)
    true = exact(q, k, v, do, None, causal)[2:]
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        o = sdpa(*leaves, is_causal=causal)
    theirs = torch.autograd.grad(o, leaves, do)
    lse = exact(q, k, v, do, None, causal)[1].float()
    ours = backward(q, k, v, o.detach(), do, lse, causal=causal)
    for x, y, z in zip(ours, theirs, true):
        assert (x - z).norm() <= 1.1 * (y - z).norm()
