"""Windows, score rules, sinks and dropout on a GPU: against float64, all dtypes."""

import pytest
import torch

from tilewise import kernels

from ..kernels._backward import poisoned
from ..kernels._options import ALONE, DRAWS, draw, hold

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DTYPES = torch.bfloat16, torch.float16, torch.float32


@pytest.mark.parametrize("i", range(len(ALONE) + DRAWS))
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda x: str(x)[6:])
def test_small_against_float64(dtype, i):
    hold(i, dtype, "cuda", tiles=None)


@pytest.mark.parametrize("i", range(len(ALONE) + 12))
def test_against_float64(i):
    hold(i, torch.bfloat16, "cuda", tiles=None, most=1100)


def test_twenty_times_the_same_bits():
    (q, k, v, do, dlse), options = draw(11, torch.bfloat16, "cuda", most=1500)
    first = None
    for _ in range(20):
        with poisoned():
            o, lse = kernels.scores.forward(q, k, v, **options)
            found = kernels.scores_backward.backward(
                q, k, v, o, do, lse, dlse=dlse, **options
            )
        found = [o, lse, *(x for x in found if x is not None)]
        first = first or found
        assert all(torch.equal(*pair) for pair in zip(first, found))
