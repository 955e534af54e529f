"""Tensors of other classes, and options that are refused before any kernel."""

import sys

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map

from tilewise import flash_attention
from tilewise.attention import dispatch, ops

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="triton is for Linux only")


class Wrapper(torch.Tensor):
    """Holds another tensor and has no memory itself, as a DTensor."""

    called = []

    @staticmethod
    def __new__(cls, x):
        options = {"dtype": x.dtype, "device": x.device, "strides": x.stride()}
        return torch.Tensor._make_wrapper_subclass(cls, x.shape, **options)

    def __init__(self, x):
        self.inside = x

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.called.append(str(func))
        args, kwargs = tree_map(
            lambda x: x.inside if isinstance(x, Wrapper) else x, (args, kwargs or {})
        )
        return func(*args, **kwargs)


def test_a_tensor_without_memory_goes_by_the_operator():
    x = torch.randn(1, 2, 8, 16)
    held = Wrapper(x)
    assert held.data_ptr() == 0  # what a kernel would read from
    Wrapper.called.clear()
    o = flash_attention(x, held, x)
    assert Wrapper.called == ["tilewise.attention.default"]
    torch.testing.assert_close(o, flash_attention(x, x, x))


def test_fake_tensors_have_fake_results_and_gradients():
    with FakeTensorMode():
        q, k = torch.empty(2, 4, 8, 16), torch.empty(2, 2, 9, 16)
        for x in (q, k):
            x.requires_grad_()
        o, lse = flash_attention(q, k, k, causal=True, return_lse=True)
        (o.sum() + lse.sum()).backward()
    assert (o.shape, lse.shape) == (q.shape, q.shape[:-1])
    assert (q.grad.shape, k.grad.shape) == (q.shape, k.shape)


def test_tensors_and_parameters_take_the_short_way():
    x = torch.randn(1, 2, 8, 16)
    other = x.as_subclass(type("Named", (torch.Tensor,), {}))
    for y in (x, torch.nn.Parameter(x), other):
        assert not ops.without_address(x, y, x)
    assert ops.without_address(x, x, Wrapper(x))


@LINUX
@pytest.mark.parametrize("causal", [[], {}, "left", None, 2])
def test_causal_is_checked_before_any_kernel(causal, monkeypatch):
    monkeypatch.setattr(dispatch, "card", lambda device: ((10, 0), False))
    x = torch.zeros(1, 2, 8, 16, dtype=torch.bfloat16)
    with pytest.raises(ValueError, match="causal must be False, True or 'top-left'"):
        flash_attention(x, x, x, causal=causal)
