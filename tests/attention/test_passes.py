"""What the passes ask of kernels, without any GPU."""

import sys

import pytest
import torch

from tilewise.attention.dispatch import HOPPER, HOPPER_WINDOWS, VARIANT, functions
from tilewise.attention.passes import Options, asked

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)


def test_kernels_are_asked_for_what_the_call_asks_for():
    """A seed without dropout is none; dropout without a seed reaches who refuses it."""
    x = torch.zeros(1, 2, 5, 64, dtype=torch.bfloat16)
    how = Options(True, seed=torch.tensor(5), window=(2, 0))
    plain, few, all_of = map(functions, (HOPPER, HOPPER_WINDOWS, VARIANT))
    usual = {"causal": True, "scale": None}
    assert asked(plain, how, x) == usual
    assert asked(few, how, x) == asked(all_of, how, x) == usual | {"window": (2, 0)}
    lost = asked(all_of, Options(True, dropout_p=0.3), x)
    assert lost == usual | {"dropout_p": 0.3, "seed": None}
