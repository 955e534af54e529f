"""Attention's two passes on plain tensors: by kernels, or by tiles in PyTorch.

Both record no gradient: `tilewise.attention.ops` makes a differentiable function of
them, and `tilewise.attention.library` operators.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tilewise.attention.dispatch import route
from tilewise.attention.mask import mask_gradient, mask_option
from tilewise.dropout import keep_factors
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.tiled import TileRule
from tilewise.types import Causal

Grads = tuple[Tensor, Tensor, Tensor, Tensor | None]


class Options(NamedTuple):
    """How to attend: scale None is 1/√d; seed is a tensor where there is dropout."""

    causal: Causal
    scale: float | None = None
    dropout_p: float = 0.0
    seed: Tensor | None = None


def forward(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None, options: Options
) -> tuple[Tensor, Tensor]:
    """o (..., N, d) and L (..., N)."""
    kernels = route(q, k, v, attn_mask, options.dropout_p)
    if kernels is None:
        with torch.autocast(q.device.type, enabled=False):  # sums stay in fp32
            return flash2_forward(
                q, k, v, *tile_sizes(q), **tiled(q, attn_mask, options)
            )
    how = {"causal": options.causal, "scale": options.scale}
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
    wanted: bool,
    options: Options,
) -> Grads:
    """dQ, dK, dV and, if wanted, the mask's gradient; do and dlse may be None.

    Within a row ∂L/∂S = P, so that dS = P ∘ (dP − δ) + dL P: dL is taken from δ.
    """
    do = torch.zeros_like(o) if do is None else do
    kernels = route(q, k, v, attn_mask, options.dropout_p)
    if kernels is None:
        more = tiled(q, attn_mask, options)
        more["dlse"] = 0 if dlse is None else dlse.masked_fill(lse == -math.inf, 0)
        saved = q, k, v, o, do, lse, *tile_sizes(q)
        with torch.autocast(q.device.type, enabled=False):
            grads = flash2_backward(*saved, **more)
            if attn_mask is None or not wanted:
                return *grads, None
            return *grads, mask_gradient(attn_mask, *saved, **more)
    how = {"causal": options.causal, "scale": options.scale}
    if q.ndim == 4:
        return *kernels.backward(q, k, v, o, do, lse, dlse=dlse, **how), None
    dlse = None if dlse is None else four(dlse, 2)
    tensors = [*(four(x) for x in (q, k, v, o, do)), four(lse, 2)]
    grads = kernels.backward(*tensors, dlse=dlse, **how)
    return *(x.view(y.shape) for x, y in zip(grads, (q, k, v))), None


def four(x: Tensor, axes: int = 3) -> Tensor:
    """x (..., heads, N, d) with one axis for the batch, or with axes=2 L (..., N)."""
    if x.ndim == axes + 1:
        return x
    return x.reshape(-1, *(1,) * (axes - x.ndim), *x.shape[-axes:])


def tiled(q: Tensor, attn_mask: Tensor | None, options: Options) -> dict[str, Any]:
    """The same options as those of flash2's passes."""
    more = {"causal": options.causal, "scale": options.scale} | mask_option(attn_mask)
    if options.seed is not None:
        seed = int(options.seed)
        more["dropout"] = dropout_option(options.dropout_p, seed, q.shape[:-2])
    return more


def dropout_option(p: float, seed: int, lead: Sequence[int]) -> TileRule:
    """flash2's option dropout for q (*lead, N_q, d), of any number of axes in front."""
    *batch, heads = 1, *lead
    factors = keep_factors(p, seed, math.prod(batch), heads)
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
