"""How kernels are called: by name, on the device of their tensors, and by replay."""

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from tilewise.fits import Causal


@functools.cache
def kernel(name: str) -> ModuleType:
    """A module of `tilewise.kernels`."""
    return importlib.import_module(f"tilewise.kernels.{name}")


def guarded(rung: Callable[..., Any]) -> Callable[..., Any]:
    """The rung with its tensors' device made current, since Triton launches there."""

    @functools.wraps(rung)
    def on_device(q: Tensor, *tensors: Tensor, **options: Any) -> Any:
        device = q.device
        if device.type == "cuda" and device.index != torch.cuda.current_device():
            with torch.cuda.device(device):
                return rung(q, *tensors, **options)
        return rung(q, *tensors, **options)

    return on_device


def replayed(rung: Callable[..., Any]) -> Callable[..., Any]:
    """The rung by `tilewise.kernels.host.replay`."""
    replay = kernel("host.replay").replay

    @functools.wraps(rung)
    def again(
        *tensors: Tensor, causal: Causal, scale: float | None, dlse: Any = None
    ) -> Any:
        return replay(rung, tensors, causal, scale, dlse)

    return again
