"""The kernels of the page on Triton, on the card: pytest tests/gpu."""

import pytest
import torch

pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from ..kernels._primer import faults


def test_kernels_are_right(new_memory_is_nan):
    assert faults("cuda") == []
