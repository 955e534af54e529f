"""Descriptors of tensors for the TMA unit, and what it asks of a tensor.

The engine walks a tensor of four dimensions from an address that is a multiple of 16
bytes, in steps of whole 16 bytes along every axis but the last.
"""

import torch

from tilewise.kernels.host.launch import Descriptor
from tilewise.kernels.shared.common import padded


def describable(x):
    """x, or a copy where the TMA unit cannot walk it: strides of whole 16 bytes."""
    if x.data_ptr() % 16 == 0:
        if whole(x) or x.is_contiguous():  # d is a multiple of 8
            return x
        unit = 16 // x.element_size()
        steps = (s for n, s in zip(x.shape[:-1], x.stride()) if n > 1)
        if all(s and s % unit == 0 for s in steps):
            return x
    return x.clone(memory_format=torch.contiguous_format)


def whole(x):
    """Whether all strides of x (batch, heads, N, d) but d's are whole 16 bytes."""
    a, b, c, _ = x.stride()
    return a and b and c and (a | b | c) % (16 // x.element_size()) == 0


def describe(x, rows):
    """The descriptor of x (batch, heads, N, d) for tiles of `rows` rows of a head."""
    return Descriptor(x, strides_of(x), (1, 1, rows, padded(x.shape[-1])))


def strides_of(x):
    """x's strides; that of an axis of length 1 means nothing, yet is checked."""
    if whole(x) or 1 not in x.shape:
        return x.stride()
    *shape, d = x.shape
    return (*(s if n > 1 else d for n, s in zip(shape, x.stride())), 1)
