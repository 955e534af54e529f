"""Which tensors fit together in the passes of `tilewise.flash1` and `flash2`."""

from torch import Tensor

from tilewise.checks import check_causal, check_sizes
from tilewise.types import Causal


def check(
    q: Tensor, k: Tensor, v: Tensor, block_rows: int, block_cols: int, causal: Causal
) -> None:
    """Raise ValueError with one sentence that names what does not fit."""

    def wrong(what: str) -> ValueError:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        return ValueError(f"{what}: {shapes}")

    if min(q.ndim, k.ndim, v.ndim) < 2 or 0 in q.shape + k.shape + v.shape:
        raise wrong("q, k and v must be (..., N, d) and not empty")
    if not q.ndim == k.ndim == v.ndim or k.shape[:-2] != v.shape[:-2]:
        raise wrong("q, k and v differ in batch or heads")
    if q.shape[:-3] != k.shape[:-3] or q.shape[:-2].numel() % k.shape[:-2].numel():
        raise wrong("q, k and v do not fit in batch or heads")
    if q.shape[-1] != k.shape[-1]:
        raise wrong("q and k differ in d")
    if k.shape[-2] != v.shape[-2]:
        raise wrong("k and v differ in N")
    if not q.dtype == k.dtype == v.dtype or not q.is_floating_point():
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"dtypes of q, k and v must be one float: {dtypes}")
    check_sizes(block_rows=block_rows, block_cols=block_cols)
    check_causal(causal)


def check_saved(q: Tensor, v: Tensor, **saved: Tensor) -> None:
    """Raise ValueError where what the forward pass saved, or dO, has another shape."""
    for name, x in saved.items():
        expected = (*q.shape[:-1], v.shape[-1]) if name in ("o", "do") else q.shape[:-1]
        if x.shape != expected:
            raise ValueError(f"{name} must be {tuple(expected)}, not {tuple(x.shape)}")
