"""Rules for single scores: softcap, ALiBi and dropout, forward and backward.

Each takes a tile and changes every element by itself, so neither the loops nor the
state need to know of it. What a call does not use is None when the kernel is compiled,
and leaves no instruction behind.
"""

import math
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from tilewise.kernels.shared.common import LOG2E


class Rules(NamedTuple):
    """What a kernel is given: numbers and fp32 tensors, or None for what is not used.

    cap is softcap's c times log₂ e; slopes (batch, heads) are those of ALiBi times
    log₂ e; sinks (heads,) are natural logits. Dropout drops where a word of Philox is
    below `drop`, with the two words of the seed as its key, and multiplies the rest by
    `rest` = 1 / (1 − p).
    """

    cap: float | None
    slopes: torch.Tensor | None
    sinks: torch.Tensor | None
    drop: int | None
    seed: int | None
    rest: float | None


def rules(front, softcap, alibi_slopes, sinks, dropout_p, seed):
    """The options of a call as Rules. Raises ValueError for what cannot be.

    front is (batch, heads), or (documents, heads) where they are packed.
    """
    batch, heads = front
    log2e: Any = math.log2(math.e)
    if softcap is not None and not 0 < softcap < math.inf:
        raise ValueError(f"softcap must be None or above 0, not {softcap}")
    if not 0 <= dropout_p < 1:
        raise ValueError(f"dropout_p must be at least 0 and below 1, not {dropout_p}")
    if dropout_p and seed is None:
        raise ValueError("seed must be a number where dropout_p is above 0, not None")
    slopes = alibi_slopes
    if slopes is not None:
        if slopes.shape not in ((heads,), (batch, heads)):
            shapes = f"({heads},) or ({batch}, {heads}), not {tuple(slopes.shape)}"
            raise ValueError(f"alibi_slopes must be {shapes}")
        slopes = (slopes.float() * log2e).expand(batch, heads).contiguous()
    if sinks is not None:
        if sinks.shape != (heads,):
            raise ValueError(f"sinks must be ({heads},), not {tuple(sinks.shape)}")
        sinks = sinks.float().contiguous()
    cap = None if softcap is None else float(softcap) * log2e
    if not dropout_p:
        return Rules(cap, slopes, sinks, None, None, None)
    drop = round(dropout_p * 2**32)
    return Rules(cap, slopes, sinks, drop, int(seed), 1 / (1 - dropout_p))


def others(alibi_slopes, dslopes, sinks, lse, delta):
    """The gradients of slopes, from each row's share, and of sinks, from L and δ."""
    if dslopes is not None:
        dslopes = dslopes.sum(-1).sum_to_size(alibi_slopes.shape)
    if sinks is None:
        return dslopes, None
    p = torch.exp(sinks.float()[:, None] - lse)  # (batch, heads, N_q): the sink's P
    return dslopes, -(p * delta).sum((0, 2))


@triton.jit
def tanh(x):
    """tanh x by one division: a continued fraction where e^{2x} − 1 would cancel."""
    y = x * x
    e = tl.exp2(tl.minimum(x, 15.0) * (2 * LOG2E))  # from 15 on, tanh x rounds to 1
    above = tl.where(y < 1, x * (945 + y * (105 + y)), e - 1)
    return above / tl.where(y < 1, 945 + y * (420 + 15 * y), e + 1)


# --8<-- [start:score]
@triton.jit
def score(s, rows, cols, tau2, cap, slope, diagonal):
    """(S', dS'/d(τS)) of a tile of Q Kᵀ, in units of log₂ e: softcap, then ALiBi.

    S' = c tanh(τS / c) − slope · |r + N_k − N_q − j|, where diagonal is N_k − N_q.
    """
    s, rate = s * tau2, 1.0
    if cap is not None:
        t = tanh(s * (1 / cap))
        s, rate = cap * t, 1 - t * t
    if slope is not None:
        s -= slope * tl.abs(rows[:, None] + diagonal - cols[None, :]).to(tl.float32)
    return s, rate
    # --8<-- [end:score]


@triton.jit
def keep(rows, cols, head, heads, drop, seed, rest):
    """Dropout's factors for a tile of P: those of `tilewise.dropout`, to the bit."""
    r = tl.broadcast_to(rows[:, None], [rows.shape[0], cols.shape[0]])
    c = tl.broadcast_to(cols[None, :], [rows.shape[0], cols.shape[0]])
    word, _, _, _ = tl.philox(seed, c, r, r * 0 + head % heads, r * 0 + head // heads)
    return tl.where(word.to(tl.int64) >= drop, rest, 0.0)


@triton.jit
def slope_of(SLOPES, head):
    """The slope of a head, or None without ALiBi."""
    slope = None
    if SLOPES is not None:
        slope = tl.load(SLOPES + head)
    return slope
