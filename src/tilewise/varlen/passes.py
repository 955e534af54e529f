"""The two passes over packed documents: by kernels, or document by document by tiles.

Both record no gradient: `tilewise.varlen.ops` makes a differentiable function of them,
and `tilewise.varlen.library` operators. Tensors are (total, heads, d), L (total,
heads).
"""

import math
from typing import Any

import torch
from torch import Tensor

from tilewise.attention.checks import check_options, check_tensors, transforms
from tilewise.attention.dispatch import Kernels, route
from tilewise.attention.passes import Grad, Options, Wanted, asked, tile_sizes
from tilewise.fits import FLOATS
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.variants import alibi_gradient, score_gradients, sink_gradient
from tilewise.varlen.documents import Document, alone, bounds, documents

Grads = tuple[Tensor, Tensor, Tensor, Grad, Grad]

NOTHING = None, None
WHOLE = torch.int32, torch.int64


def check(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, options: Options
) -> None:
    """Raise TypeError or ValueError with one sentence that names what does not fit.

    Only types, shapes and devices are asked for, which the host knows. Raises
    RuntimeError within torch.func.
    """
    lengths = {"cu_seqlens_q": cu_q, "cu_seqlens_k": cu_k}
    check_tensors(q=q, k=k, v=v, **lengths)
    check_rows(q, k, v)
    for name, x in lengths.items():
        if x.dtype not in WHOLE or x.ndim != 1 or x.shape[0] < 2:
            what = f"{x.dtype} {(*x.shape,)}"
            raise ValueError(f"{name} must be (documents + 1) in {WHOLE}, not {what}")
    if cu_q.shape != cu_k.shape:
        what = f"{cu_q.shape[0]} and {cu_k.shape[0]} numbers"
        raise ValueError(f"cu_seqlens_q and cu_seqlens_k differ in length: {what}")
    check_options(options, q, k, documents=cu_q.shape[0] - 1)
    if transforms() and not torch.compiler.is_compiling():
        instead = "torch.autograd, or flash_attention document by document"
        raise RuntimeError(f"torch.func cannot transform packed documents: {instead}")


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
    if not q.dtype == k.dtype == v.dtype or q.dtype not in FLOATS:
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"dtypes of q, k and v must be one float: {dtypes}")
    if not q.device == k.device == v.device:
        devices = f"{q.device}, {k.device}, {v.device}"
        raise ValueError(f"q, k and v must be on one device, not on {devices}")


def packed_kernels(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, options: Options
) -> tuple[Kernels | None, list[Tensor]]:
    """(kernels, [cu_q, cu_k] on q's device), or (None, []): by tiles.

    Lengths that are on the CPU are checked, and copied without waiting for the GPU.
    """
    kernels = route(q, k, v, None, options, packed=True)
    if kernels is None or 0 in (len(q), len(k)):
        return None, []
    places = []
    for name, x, rows in (("cu_seqlens_q", cu_q, q), ("cu_seqlens_k", cu_k, k)):
        if x.device.type == "cpu":
            bounds(name, x, len(rows))
        places.append(x.to(q.device, non_blocking=True).contiguous())
    return kernels, places


def forward(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, options: Options
) -> tuple[Tensor, Tensor]:
    """o (total_q, heads, d_v) and L (total_q, heads)."""
    kernels, places = packed_kernels(q, k, v, cu_q, cu_k, options)
    if kernels is not None:
        return kernels.forward(q, k, v, *places, **asked(kernels, options, q))
    wide = torch.promote_types(q.dtype, torch.float32)
    o = q.new_zeros(*q.shape[:2], v.shape[-1])
    lse = q.new_full(q.shape[1::-1], -math.inf, dtype=wide).mT  # head after head
    if options.sinks is not None:  # all that a row without keys counts
        lse.copy_(options.sinks)
    for part in documents(q, k, cu_q, cu_k, options):
        own, more = part.tensors(q, k, v), part.how | {"sinks": options.sinks}
        with torch.autocast(q.device.type, enabled=False):  # sums stay in fp32
            o_b, lse_b = flash2_forward(*own, *tile_sizes(own[0]), **more)
        o[part.rows], lse[part.rows] = o_b.transpose(0, 1), lse_b.T
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
    wanted: Wanted,
    options: Options,
) -> Grads:
    """dQ, dK, dV and, where wanted, those of slopes and sinks; do, dlse may be None."""
    do = torch.zeros_like(o) if do is None else do
    kernels, places = packed_kernels(q, k, v, cu_q, cu_k, options)
    if kernels is not None:
        saved = q, k, v, o, do, lse, *places
        how = {"dlse": dlse} | asked(kernels, options, q)
        dq, dk, dv, *rest = kernels.backward(*saved, **how)
        learned = zip(rest or NOTHING, (options.alibi_slopes, options.sinks), wanted)
        more = [
            x.to(y.dtype) if want and y is not None else None for x, y, want in learned
        ]
        return dq, dk, dv, more[0], more[1]
    dlse = lse.new_zeros(lse.shape) if dlse is None else dlse
    dlse = dlse.masked_fill(lse == -math.inf, 0)  # of a row that sees nothing
    grads = [torch.zeros_like(x) for x in (q, k, v)]
    slopes = sinks = None
    if options.alibi_slopes is not None and wanted[0]:
        slopes = torch.zeros_like(options.alibi_slopes)
    if options.sinks is not None and wanted[1]:
        by_head = (x.transpose(0, 1) for x in (o, do, lse, dlse))
        sinks = sink_gradient(options.sinks, *by_head)
    for part in documents(q, k, cu_q, cu_k, options):
        own = *part.tensors(q, k, v), *(alone(x, part.rows) for x in (o, do, lse))
        with torch.autocast(q.device.type, enabled=False):
            found = part_backward(part, own, alone(dlse, part.rows), slopes)
        for grad, at, x in zip(grads, (part.rows, part.keys, part.keys), found):
            grad[at] = x.transpose(0, 1)
    return grads[0], grads[1], grads[2], slopes, sinks


def part_backward(
    part: Document, own: tuple[Tensor, ...], dlse: Tensor, slopes: Tensor | None
) -> tuple[Tensor, ...]:
    """dQ, dK, dV of one document, whose part of the slopes' gradient is added."""
    inputs: list[Any] = [*own, *tile_sizes(own[0])]
    if slopes is not None and part.slopes is not None:
        tiles = score_gradients(*inputs, dlse=dlse, **part.how)
        shape = own[0].shape[-2], own[1].shape[-2]
        slopes[part.at] += alibi_gradient(part.slopes, *shape, tiles)
    return flash2_backward(*inputs, dlse=dlse, **part.how)
