"""Packed documents with windows, score rules, sinks and dropout on a GPU."""

import pytest
import torch

from ..kernels._packed_options import DRAWS, OPTIONS, alike, hold

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DTYPES = torch.bfloat16, torch.float16, torch.float32


@pytest.mark.parametrize("i", range(len(OPTIONS) + DRAWS))
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda x: str(x)[6:])
def test_small_against_float64(dtype, i):
    hold(i, dtype, "cuda", tiles=None)


@pytest.mark.parametrize("i", range(len(OPTIONS) + 12))
def test_against_float64(i):
    hold(i, torch.bfloat16, "cuda", tiles=None, most=700)


@pytest.mark.parametrize("i", range(len(OPTIONS), len(OPTIONS) + 6))
def test_as_entries_of_a_batch(i):
    alike(i, torch.bfloat16, "cuda", tiles=None)
