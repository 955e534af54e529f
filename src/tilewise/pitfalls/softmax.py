"""Wrong softmax: over the wrong axis, without its maximum, or with another one."""

import torch

from tilewise.flash1 import weight
from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def softmax_over_queries(s, seen):
    """Each column of P sums to 1. Right: each row, so dim=-1."""
    return torch.softmax(s.masked_fill(~seen, -torch.inf), dim=-2)


# --8<-- [start:columns_divided]
def columns_divided(s, seen):
    """Without keepdim, `(N, N) / (N,)` divides column j by ℓ_j. Right: row i, ℓ_i."""
    s = s.masked_fill(~seen, -torch.inf)
    p = weight(s, s.amax(-1, keepdim=True))
    return p / p.sum(-1)
    # --8<-- [end:columns_divided]


def maximum_left_out(m, l, o, s, v_j, z):
    """e^S overflows (in float64 past 709). Right: e^{S − m}, which is at most 1."""
    p = torch.exp(s)
    return torch.zeros_like(m), l + p.sum(-1, keepdim=True), o + (p * z) @ v_j


def maximum_of_tile(m, l, o, s, v_j, z):
    """One maximum for all rows of a tile: low rows vanish. Right: one for each row."""
    top = s.amax((-2, -1), keepdim=True).expand_as(m)
    m_new = torch.maximum(m, top)
    p, alpha = weight(s, m_new), weight(m, m_new)
    return m_new, alpha * l + p.sum(-1, keepdim=True), alpha * o + (p * z) @ v_j


def maximum_from_zero(like):
    """m starts at 0: where scores are below −745 (fp32: −104), ℓ = 0. Right: at −∞."""
    m, l, o = pieces.start(like)
    return torch.zeros_like(m), l, o


def maximum_from_infinity(like):
    """m starts at +∞ and stays there. Right: at −∞, so that any score is larger."""
    m, l, o = pieces.start(like)
    return -m, l, o


PITFALLS = (
    Pitfall(softmax_over_queries, pieces.weights, "odd", "total_weight"),
    Pitfall(columns_divided, pieces.weights, "square", "example"),
    Pitfall(maximum_left_out, pieces.step, "huge", "whole_tiles"),
    Pitfall(maximum_of_tile, pieces.step, "far_apart", "odd"),
    Pitfall(maximum_from_zero, pieces.start, "far_below", "odd"),
    Pitfall(maximum_from_infinity, pieces.start, "odd", "no_error_is_large"),
)
