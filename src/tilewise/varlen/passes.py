"""The two passes over packed documents: by kernels, or document by document by tiles.

Both record no gradient: `tilewise.varlen.ops` makes a differentiable function of them,
and `tilewise.varlen.library` operators. Tensors are (total, heads, d), L (total,
heads).
"""

import math
import numbers
from typing import Any

import torch
from torch import Tensor

from tilewise.attention.dispatch import Kernels, route
from tilewise.attention.passes import tile_sizes
from tilewise.checks import check_causal
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.types import Causal

WHOLE = torch.int32, torch.int64


def check(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_q: Tensor,
    cu_k: Tensor,
    causal: Causal,
    scale: float | None,
) -> None:
    """Raise TypeError or ValueError with one sentence that names what does not fit.

    Only types, shapes and devices are asked for, which the host knows.
    """
    lengths = {"cu_seqlens_q": cu_q, "cu_seqlens_k": cu_k}
    for name, x in ({"q": q, "k": k, "v": v} | lengths).items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(x).__name__}")
    if scale is not None and not isinstance(scale, numbers.Real):
        raise TypeError(f"scale must be None or a number, not {scale!r}")
    check_causal(causal)
    check_rows(q, k, v)
    for name, x in lengths.items():
        if x.dtype not in WHOLE or x.ndim != 1 or x.shape[0] < 2:
            what = f"{x.dtype} {(*x.shape,)}"
            raise ValueError(f"{name} must be (documents + 1) in {WHOLE}, not {what}")
    if cu_q.shape != cu_k.shape:
        what = f"{cu_q.shape[0]} and {cu_k.shape[0]} numbers"
        raise ValueError(f"cu_seqlens_q and cu_seqlens_k differ in length: {what}")


def check_rows(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise ValueError where q, k, v are no rows of heads that fit."""

    def wrong(what: str) -> ValueError:
        shapes = f"q {(*q.shape,)}, k {(*k.shape,)}, v {(*v.shape,)}"
        return ValueError(f"{what}: {shapes}")

    if not q.ndim == k.ndim == v.ndim == 3 or 0 in q.shape[1:] + k.shape[1:]:
        raise wrong("q, k and v must be (total, heads, d), with heads and d")
    if k.shape[:2] != v.shape[:2] or 0 in v.shape[1:]:
        raise wrong("k and v differ in rows or heads")
    if q.shape[1] % k.shape[1]:
        raise wrong("k's heads must divide q's")
    if q.shape[2] != k.shape[2]:
        raise wrong("q and k differ in d")
    if not q.dtype == k.dtype == v.dtype or not q.is_floating_point():
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"dtypes of q, k and v must be one float: {dtypes}")
    if not q.device == k.device == v.device:
        devices = f"{q.device}, {k.device}, {v.device}"
        raise ValueError(f"q, k and v must be on one device, not on {devices}")


def bounds(name: str, cu: Tensor, total: int) -> list[tuple[int, int]]:
    """[(first, end)] of the documents; ValueError if they do not make up all rows."""
    ends = cu.tolist()
    if ends[0] != 0:
        raise ValueError(f"{name} must begin with 0, not {ends[0]}")
    if ends[-1] != total:
        raise ValueError(f"{name} must end with {total}, the rows, not {ends[-1]}")
    for b, (first, end) in enumerate(zip(ends, ends[1:])):
        if first > end:
            raise ValueError(f"{name} must not fall: {first}, {end} for document {b}")
    return list(zip(ends, ends[1:]))


def pairs(
    q: Tensor, k: Tensor, cu_q: Tensor, cu_k: Tensor
) -> list[tuple[slice, slice]]:
    """[(rows of q, rows of k)] of every document, as slices."""
    both = bounds("cu_seqlens_q", cu_q, len(q)), bounds("cu_seqlens_k", cu_k, len(k))
    return [(slice(*rows), slice(*keys)) for rows, keys in zip(*both)]


def packed_kernels(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor
) -> tuple[Kernels | None, list[Tensor]]:
    """(kernels, [cu_q, cu_k] on q's device), or (None, []): by tiles.

    Lengths that are on the CPU are checked, and copied without waiting for the GPU.
    """
    kernels = route(q, k, v, packed=True)
    if kernels is None or 0 in (len(q), len(k)):
        return None, []
    places = []
    for name, x, rows in (("cu_seqlens_q", cu_q, q), ("cu_seqlens_k", cu_k, k)):
        if x.device.type == "cpu":
            bounds(name, x, len(rows))
        places.append(x.to(q.device, non_blocking=True).contiguous())
    return kernels, places


def forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_q: Tensor,
    cu_k: Tensor,
    causal: Causal,
    scale: float | None,
) -> tuple[Tensor, Tensor]:
    """o (total_q, heads, d_v) and L (total_q, heads)."""
    kernels, places = packed_kernels(q, k, v, cu_q, cu_k)
    if kernels is not None:
        return kernels.forward(q, k, v, *places, causal=causal, scale=scale)
    o = q.new_zeros(*q.shape[:2], v.shape[-1])
    wide = torch.promote_types(q.dtype, torch.float32)
    lse = q.new_full(q.shape[1::-1], -math.inf, dtype=wide).mT  # head after head
    for rows, keys in pairs(q, k, cu_q, cu_k):
        if rows.start == rows.stop or keys.start == keys.stop:
            continue  # no row, or rows that see nothing
        q_b, k_b, v_b = document(q, rows), document(k, keys), document(v, keys)
        with torch.autocast(q.device.type, enabled=False):  # sums stay in fp32
            o_b, lse_b = flash2_forward(
                q_b, k_b, v_b, *tile_sizes(q_b), causal=causal, scale=scale
            )
        o[rows], lse[rows] = o_b.transpose(0, 1), lse_b.T
    return o, lse


def backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor | None,
    lse: Tensor,
    dlse: Tensor | None,
    cu_q: Tensor,
    cu_k: Tensor,
    causal: Causal,
    scale: float | None,
) -> tuple[Tensor, ...]:
    """dQ, dK, dV; do and dlse may be None."""
    do = torch.zeros_like(o) if do is None else do
    kernels, places = packed_kernels(q, k, v, cu_q, cu_k)
    if kernels is not None:
        saved = q, k, v, o, do, lse, *places
        return tuple(kernels.backward(*saved, dlse=dlse, causal=causal, scale=scale))
    dlse = lse.new_zeros(lse.shape) if dlse is None else dlse
    dlse = dlse.masked_fill(lse == -math.inf, 0)  # of a row that sees nothing
    grads = [torch.zeros_like(x) for x in (q, k, v)]
    for rows, keys in pairs(q, k, cu_q, cu_k):
        if rows.start == rows.stop or keys.start == keys.stop:
            continue
        sides = rows, keys, keys
        q_b, k_b, v_b = (document(x, at) for x, at in zip((q, k, v), sides))
        rest = [document(x, rows) for x in (o, do, lse)]
        inputs: list[Any] = [q_b, k_b, v_b, *rest, *tile_sizes(q_b)]
        dlse_b = document(dlse, rows)
        with torch.autocast(q.device.type, enabled=False):
            grads_b = flash2_backward(*inputs, dlse=dlse_b, scale=scale, causal=causal)
        for grad, at, x in zip(grads, sides, grads_b):
            grad[at] = x.transpose(0, 1)
    return tuple(grads)


def document(x: Tensor, rows: slice) -> Tensor:
    """A document by itself, (heads, N, …): in memory of its own.

    So where it lies among the others changes no bit, as alignment might.
    """
    return x[rows].transpose(0, 1).clone(memory_format=torch.contiguous_format)
