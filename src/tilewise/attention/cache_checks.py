"""What queries, a cache, lengths and pages must be, one sentence for each."""

from typing import Any

import torch
from torch import Tensor


def check_tensors(
    named: dict[str, Any], table: Tensor | None, sinks: Tensor | None
) -> None:
    """Raise TypeError or ValueError: no tensor, elsewhere than q, or with gradients."""
    q = named["q"]
    for name, x in (named | ({} if table is None else {"block_table": table})).items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(x).__name__}")
        if x.device != q.device:
            raise ValueError(f"{name} must be on {q.device} as q is, not on {x.device}")
    learned = [*named.values(), sinks]
    if torch.is_grad_enabled() and any(getattr(x, "requires_grad", 0) for x in learned):
        message = "flash_decode has no gradient: call it under torch.no_grad(), or call"
        raise ValueError(f"{message} flash_attention to train")


def check_shapes(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise ValueError where q and the caches do not fit together."""
    shapes = f"q {(*q.shape,)}, k_cache {(*k.shape,)}, v_cache {(*v.shape,)}"
    if not q.ndim == k.ndim == v.ndim == 4 or 0 in q.shape + k.shape + v.shape:
        raise ValueError(f"q and caches must have 4 axes and not be empty: {shapes}")
    if k.shape[:3] != v.shape[:3] or q.shape[3] != k.shape[3]:
        raise ValueError(f"k_cache must fit q in d and v_cache in the rest: {shapes}")
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"heads of the caches must divide those of q: {shapes}")
    if not q.dtype == k.dtype == v.dtype or not q.is_floating_point():
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"dtypes of q and the caches must be one float: {dtypes}")


def check_places(q: Tensor, k: Tensor, seqlens: Tensor, table: Tensor | None) -> None:
    """Raise ValueError where lengths or pages cannot be; values on the CPU only."""
    batch, (count, _, page, _), whole = len(q), k.shape, (torch.int32, torch.int64)
    if seqlens.shape != (batch,) or seqlens.dtype not in whole:
        what = f"{seqlens.dtype} {(*seqlens.shape,)}"
        raise ValueError(f"seqlens must be int32 or int64 ({batch},), not {what}")
    if table is None and count != batch:
        raise ValueError(f"k_cache must have the batch of q, {batch}, not {count}")
    if table is not None and (
        table.ndim != 2 or len(table) != batch or table.dtype not in whole
    ):
        what = f"{table.dtype} {(*table.shape,)}"
        raise ValueError(f"block_table must be whole ({batch}, max_pages), not {what}")
    if q.device.type != "cpu":
        return
    room = page if table is None else page * table.shape[1]
    if seqlens.min() < 0 or seqlens.max() > room:
        raise ValueError(f"seqlens must be from 0 to {room}, not {seqlens.tolist()}")
    if table is not None:
        used = torch.arange(table.shape[1]) * page < seqlens[:, None]
        ids = table[used]
        if len(ids) and (ids.min() < 0 or ids.max() >= count):
            raise ValueError(f"block_table must name pages 0 .. {count - 1} where used")
