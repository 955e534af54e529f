"""Which tensors fit together in the passes of `tilewise.flash1` and `flash2`."""

from typing import Literal

import torch
from torch import Tensor

from tilewise.checks import check_causal, check_sizes

Causal = bool | Literal["top-left"]  # no mask, bottom-right (True), or top-left
FLOATS = torch.float16, torch.bfloat16, torch.float32, torch.float64


def check(
    q: Tensor, k: Tensor, v: Tensor, block_rows: int, block_cols: int, causal: Causal
) -> None:
    """Raise ValueError with one sentence that names what does not fit, or is empty."""
    if min(q.ndim, k.ndim, v.ndim) < 2 or 0 in q.shape + k.shape + v.shape:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        raise ValueError(f"q, k and v must be (..., N, d) and not empty: {shapes}")
    check_shapes(q, k, v)
    check_sizes(block_rows=block_rows, block_cols=block_cols)
    check_causal(causal)


def check_shapes(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise ValueError where tensors (..., N, d), which may be empty, do not fit."""

    def wrong(what: str) -> ValueError:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        return ValueError(f"{what}: {shapes}")

    if not q.ndim == k.ndim == v.ndim or k.shape[:-2] != v.shape[:-2]:
        raise wrong("q, k and v differ in batch or heads")
    heads, kv_heads = q.shape[-3:-2].numel(), k.shape[-3:-2].numel()
    if q.shape[:-3] != k.shape[:-3] or heads % (kv_heads or heads + 1):
        raise wrong("q, k and v do not fit in batch or heads")
    if q.shape[-1] != k.shape[-1]:
        raise wrong("q and k differ in d")
    if k.shape[-2] != v.shape[-2]:
        raise wrong("k and v differ in N")
    if not q.dtype == k.dtype == v.dtype or q.dtype not in FLOATS:
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"dtypes of q, k and v must be one float: {dtypes}")
    if not q.device == k.device == v.device:
        devices = f"{q.device}, {k.device}, {v.device}"
        raise ValueError(f"q, k and v must be on one device, not on {devices}")


def check_saved(q: Tensor, v: Tensor, **saved: Tensor) -> None:
    """Raise ValueError where what the forward pass saved, or dO, has another shape."""
    for name, x in saved.items():
        expected = (*q.shape[:-1], v.shape[-1]) if name in ("o", "do") else q.shape[:-1]
        if x.shape != expected:
            raise ValueError(f"{name} must be {tuple(expected)}, not {tuple(x.shape)}")
