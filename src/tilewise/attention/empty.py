"""Attention without numbers: an empty batch, no queries, no keys, heads of size 0."""

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from tilewise.fits import check_shapes


def one_column(x: Tensor) -> Tensor:
    """x (..., N, 0) as (..., N, 1), a column of zeros."""
    return pad(x, (0, 1))


def without_rows(
    q: Tensor, k: Tensor, v: Tensor, sinks: Tensor | None
) -> tuple[Tensor, Tensor]:
    """o and L where q, k or v holds nothing, so that no row there is sees a key.

    q (..., heads, N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) of
    zeros and L (..., N_q), −∞ or the sink. Raises ValueError where they do not fit.
    """
    check_shapes(q, k, v)
    wide = torch.promote_types(q.dtype, torch.float32)
    zero = sum(x[..., :0].sum() for x in (q, k, v))  # its gradients are zeros
    o = q.new_zeros(*q.shape[:-1], v.shape[-1]) + zero
    lse = q.new_full(q.shape[:-1], -math.inf, dtype=wide)
    if sinks is not None:
        lse = torch.logaddexp(lse, sinks[:, None].to(wide))
    return o, lse + zero
