"""The Gluon backward pass on a Hopper GPU: dQ added up in one order, or in any."""

import pytest
import torch

from ..kernels._backward import hold, tensors
from .test_gluon_backward import SHAPES, backward, pytestmark

__all__ = ["pytestmark"]


@pytest.fixture
def in_order():
    """dQ is added up in one order, and new memory is NaN."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    yield
    torch.use_deterministic_algorithms(False)


ORDERED = [  # batch, heads, key heads, N_q, N_k, d, causal
    (2, 4, 4, 1000, 1000, 64, False),
    (2, 4, 4, 1024, 1024, 128, True),
    (1, 8, 2, 4096, 4096, 64, True),
    # early keys first, and tiles from the last one up
    (1, 8, 4, 4000, 4100, 128, True),
    (1, 16, 1, 2048, 2048, 128, True),  # several programs read a head of K
    (1, 4, 2, 500, 3000, 128, "top-left"),  # keys that no row sees
    (20, 16, 16, 1000, 900, 64, True),  # more programs than a card has SMs
]


@pytest.mark.parametrize("case", ORDERED, ids=str)
def test_fifty_times_the_same_bits_in_order(case, in_order):
    q, k, v, do, lse = tensors(case, torch.bfloat16, "cuda")
    first = backward(q, k, v, q, do, lse + 9, causal=case[-1])
    for _ in range(50):
        found = backward(q, k, v, q, do, lse + 9, causal=case[-1])
        assert all(map(torch.equal, first, found))
    torch.use_deterministic_algorithms(False)
    free = backward(q, k, v, q, do, lse + 9, causal=case[-1])
    for x, other in zip(first, free):  # tiles from the last one up change dK and dV too
        torch.testing.assert_close(x, other, rtol=2**-6, atol=1e-3)


def in_any_order(*given, **options):
    """The backward pass where `hold` would have one order."""
    torch.use_deterministic_algorithms(False)
    return backward(*given, **options)


GROUPS = [  # walks of several query heads, more of them than a card has SMs
    (16, 8, 2, 1000, 1000, 128, True),
    (9, 8, 2, 1000, 1000, 64, False),
]


@pytest.mark.parametrize("case", GROUPS + SHAPES[:4] + SHAPES[-16:], ids=str)
def test_in_any_order_against_float64(case):
    given = tensors(case, torch.bfloat16, "cuda", torch.seed() % 2**31)
    hold(in_any_order, case, torch.bfloat16, device="cuda", given=given)
