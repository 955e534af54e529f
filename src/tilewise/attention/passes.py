"""Attention's two passes on plain tensors: by kernels, or by tiles in PyTorch.

Both record no gradient: `tilewise.attention.autograd` makes a differentiable function
of them, and `tilewise.attention.library` operators.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tilewise.attention.dispatch import Kernels, route
from tilewise.attention.mask import mask_gradient, mask_option
from tilewise.block_sparse import BlockMask
from tilewise.dropout import keep_factors
from tilewise.fits import Causal
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.masks import tile_mask, window
from tilewise.tiled import TileRule
from tilewise.variants import (
    alibi,
    alibi_gradient,
    score_gradients,
    sink_gradient,
    softcap,
)

Grad = Tensor | None
Grads = tuple[Tensor, Tensor, Tensor, Grad, Grad, Grad]
Window = tuple[int | None, int | None]
Wanted = Sequence[bool]  # of the gradients of a mask, of ALiBi's slopes, of sinks
NONE = False, False, False


class Options(NamedTuple):
    """How to attend: scale None is 1/√d; seed is a tensor where there is dropout.

    The order is τ q·k, softcap, bias (alibi_slopes, or a mask of floats), what is seen
    (causal, window, block_mask, a mask of bools), sinks, dropout.
    """

    causal: Causal
    scale: float | None = None
    dropout_p: float = 0.0
    seed: Tensor | None = None
    window: Window | None = None  # (left, right), None is no limit; bottom-right
    softcap: float | None = None
    alibi_slopes: Tensor | None = None  # (heads,) or (batch, heads)
    sinks: Tensor | None = None  # (heads,)
    block_mask: BlockMask | None = None


def forward(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, options: Options
) -> tuple[Tensor, Tensor]:
    """o (..., N, d) and L (..., N)."""
    kernels = route(q, k, v, attn_mask, options)
    if kernels is None:
        more = tiled(q, k, attn_mask, options) | {"sinks": options.sinks}
        with torch.autocast(q.device.type, enabled=False):  # sums stay in fp32
            return flash2_forward(q, k, v, *tile_sizes(q), **more)
    how = asked(kernels, options, q)
    if q.ndim == 4:
        return kernels.forward(q, k, v, **how)
    o, lse = kernels.forward(four(q), four(k), four(v), **how)
    return o.view(q.shape), lse.view(q.shape[:-1])


def backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor | None,
    lse: Tensor,
    dlse: Tensor | None,
    attn_mask: Tensor | None,
    wanted: Wanted,
    options: Options,
) -> Grads:
    """dQ, dK, dV and, where wanted, those of mask, slopes, sinks; do, dlse or None.

    Within a row ∂L/∂S = P, so that dS = P ∘ (dP − δ) + dL P: dL is taken from δ.
    """
    do = torch.zeros_like(o) if do is None else do
    kernels = route(q, k, v, attn_mask, options)
    if kernels is None:
        dlse = None if dlse is None else dlse.masked_fill(lse == -math.inf, 0)
        more = tiled(q, k, attn_mask, options) | {"dlse": 0 if dlse is None else dlse}
        saved = q, k, v, o, do, lse, *tile_sizes(q)
        with torch.autocast(q.device.type, enabled=False):
            rest = others(saved, attn_mask, wanted, options, more)
            return *flash2_backward(*saved, **more), *rest
    how = asked(kernels, options, q)
    if q.ndim == 4:
        dq, dk, dv, *rest = kernels.backward(q, k, v, o, do, lse, dlse=dlse, **how)
        return dq, dk, dv, None, *(rest or (None, None))
    dlse = None if dlse is None else four(dlse, 2)
    tensors = [*(four(x) for x in (q, k, v, o, do)), four(lse, 2)]
    grads = kernels.backward(*tensors, dlse=dlse, **how)
    dq, dk, dv = (x.view(y.shape) for x, y in zip(grads, (q, k, v)))
    return dq, dk, dv, None, *(grads[3:] or (None, None))


def asked(kernels: Kernels, options: Options, q: Tensor) -> dict[str, Any]:
    """The options as these kernels take them: those of plain calls take only two."""
    how: dict[str, Any] = {"causal": options.causal, "scale": options.scale}
    names = ("window", "softcap", "alibi_slopes", "sinks") if kernels.variants else ()
    how |= {x: y for x in names if (y := getattr(options, x)) is not None}
    if kernels.variants and options.dropout_p:
        seed = None if options.seed is None else int(options.seed)
        how |= {"dropout_p": options.dropout_p, "seed": seed}
    if options.block_mask is not None:  # never with packed documents
        how["block_mask"] = options.block_mask.batched(q.shape[:-2])
    return how


def others(
    saved: tuple[Any, ...],
    attn_mask: Tensor | None,
    wanted: Wanted,
    options: Options,
    more: dict[str, Any],
) -> tuple[Grad, Grad, Grad]:
    """The gradients of the mask, of slopes and of sinks, None where not wanted."""
    q, k, _, o, do, lse, *_ = saved
    mask = slopes = sinks = None
    if attn_mask is not None and wanted[0]:
        mask = mask_gradient(attn_mask, score_gradients(*saved, **more))
    if options.alibi_slopes is not None and wanted[1]:
        tiles, shape = score_gradients(*saved, **more), (q.shape[-2], k.shape[-2])
        slopes = alibi_gradient(options.alibi_slopes, *shape, tiles)
    if options.sinks is not None and wanted[2]:
        sinks = sink_gradient(options.sinks, o, do, lse, more["dlse"])
    return mask, slopes, sinks


def four(x: Tensor, axes: int = 3) -> Tensor:
    """x (..., heads, N, d) with one axis for the batch, or with axes=2 L (..., N)."""
    if x.ndim == axes + 1:
        return x
    return x.reshape(-1, *(1,) * (axes - x.ndim), *x.shape[-axes:])


def tiled(
    q: Tensor, k: Tensor, attn_mask: Tensor | None, options: Options, first: int = 0
) -> dict[str, Any]:
    """The same options as those of flash2's backward pass, which needs no sinks.

    first is the number of q's first sequence in its batch, which dropout depends on.
    """
    more: dict[str, Any] = {"causal": options.causal, "scale": options.scale}
    more |= mask_option(attn_mask)
    shape = q.shape[-2], k.shape[-2]
    spans = [] if options.window is None else [window(*shape, *options.window)]
    if options.block_mask is not None:
        spans.append(options.block_mask.span)
    if spans:
        more["mask"] = both(torch.logical_and, more.get("mask"), tile_mask(*spans))
    if options.alibi_slopes is not None:
        slopes = options.alibi_slopes.to(torch.promote_types(q.dtype, torch.float32))
        more["bias"] = both(torch.add, more.get("bias"), alibi(slopes, *shape))
    if options.softcap is not None:
        more["rule"] = softcap(options.softcap)
    if options.seed is not None:
        seed = int(options.seed)
        more["dropout"] = dropout_option(options.dropout_p, seed, q.shape[:-2], first)
    return more


def both(
    join: Callable[[Tensor, Tensor], Tensor], a: TileRule | None, b: TileRule
) -> TileRule:
    """The rule whose tiles are those of a and b, joined; b alone where a is None."""
    if a is None:
        return b
    return lambda rows, cols: join(a(rows, cols), b(rows, cols))


def dropout_option(p: float, seed: int, lead: Sequence[int], first: int) -> TileRule:
    """flash2's option dropout for q (*lead, N_q, d), of any number of axes in front."""
    *batch, heads = 1, *lead
    factors = keep_factors(p, seed, math.prod(batch), heads, first=first)
    return lambda rows, cols: factors(rows, cols).reshape(*lead, len(rows), len(cols))


def tile_sizes(q: Tensor) -> tuple[int, int]:
    """B_r, B_c for which a tile over all heads of the batch has about 2¹⁸ numbers.

    Below 64 × 64 Python's loops take the time; above 2¹⁸ a tile leaves the cache. A GPU
    has more to fill: 2²² numbers.
    """
    *_, n_q, _ = q.shape
    area = 2**18 if q.device.type == "cpu" else 2**22
    side = math.isqrt(area // max(1, q.shape[:-2].numel())).bit_length() - 1
    side = 2 ** max(6, side)  # 64 to 512, or 2048
    rows = max(1, min(side, n_q))
    return rows, side**2 // rows
