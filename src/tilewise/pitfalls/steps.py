"""Wrong steps: what happens to the state when a tile is taken into it."""

import torch

from tilewise.flash1 import weight
from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


# --8<-- [start:output_not_rescaled]
def output_not_rescaled(m, l, o, s, v_j, z):
    """o is still in the old unit when the maximum moves. Right: α o + P V."""
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = weight(s, m_new), weight(m, m_new)
    return m_new, alpha * l + p.sum(-1, keepdim=True), o + (p * z) @ v_j
    # --8<-- [end:output_not_rescaled]


def sum_not_rescaled(m, l, o, s, v_j, z):
    """ℓ is still in the old unit when the maximum moves. Right: α ℓ + rowsum P."""
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = weight(s, m_new), weight(m, m_new)
    return m_new, l + p.sum(-1, keepdim=True), alpha * o + (p * z) @ v_j


def inverse_factor(m, l, o, s, v_j, z):
    """From the second tile on, o is divided by α: it grows where it should shrink.
    Right: α o + P V."""
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = weight(s, m_new), weight(m, m_new)
    old = torch.where(m == -torch.inf, 0, o / alpha)  # the first tile has no old o
    return m_new, alpha * l + p.sum(-1, keepdim=True), old + (p * z) @ v_j


# --8<-- [start:unguarded_maximum]
def unguarded_maximum(m, l, o, s, v_j, z):
    """−∞ − (−∞) is NaN where the first tile is hidden. Right: e^{−∞ − m} is 0."""
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = torch.exp(s - m_new), torch.exp(m - m_new)
    return m_new, alpha * l + p.sum(-1, keepdim=True), alpha * o + (p * z) @ v_j
    # --8<-- [end:unguarded_maximum]


# --8<-- [start:nan_set_to_zero]
def nan_set_to_zero(m, l, o):
    """The NaN of a hidden first tile becomes 0 at the end: what the later tiles brought
    is lost. Right: no NaN arises, as e^{−∞ − m} is 0 whatever m is (`weight`)."""
    o, lse = pieces.finish(m, l, o)
    return o.nan_to_num(0), lse.nan_to_num(-torch.inf)
    # --8<-- [end:nan_set_to_zero]


def rescaled_twice(m, l, o, m_tilde, l_tilde, pv):
    """The new tile, in the new unit already, is scaled by β again. Right: once."""
    m_new = torch.maximum(m, m_tilde)
    alpha, beta = weight(m, m_new), weight(m_tilde, m_new)
    l_tilde, pv = beta * l_tilde, beta * pv  # now relative to the new maximum
    l_new = alpha * l + beta * l_tilde
    return m_new, l_new, (alpha * l * o + beta * pv) / l_new


def factor_of_other_tile(m, l, o, m_tilde, l_tilde, pv):
    """The new tile's P̃ V gets the old state's factor. Right: β = e^{m̃ − m'}."""
    m_new = torch.maximum(m, m_tilde)
    alpha, beta = weight(m, m_new), weight(m_tilde, m_new)
    l_new = alpha * l + beta * l_tilde
    beta = torch.where(l == 0, beta, alpha)  # the first tile comes out right
    return m_new, l_new, (alpha * l * o + beta * pv) / l_new


def mean_taken_for_sum(m, l, o, m_tilde, l_tilde, pv):
    """o was divided by the old ℓ and is used as a sum. Right: (α ℓ o + β P̃ V) / ℓ'."""
    m_new = torch.maximum(m, m_tilde)
    alpha, beta = weight(m, m_new), weight(m_tilde, m_new)
    l_new = alpha * l + beta * l_tilde
    return m_new, l_new, (alpha * o + beta * pv) / l_new


def values_of_row_block(v, rows, cols):
    """P_ij meets V_i. Right: V_j, the values of the keys that made the scores."""
    return v[..., rows[0] : rows[0] + len(cols), :]


PITFALLS = (
    Pitfall(output_not_rescaled, pieces.step, "example", "falling"),
    Pitfall(sum_not_rescaled, pieces.step, "example", "falling"),
    Pitfall(inverse_factor, pieces.step, "example", "falling"),
    Pitfall(unguarded_maximum, pieces.step, "window", "causal"),
    Pitfall(
        nan_set_to_zero,
        pieces.finish,
        "window",
        "nothing_seen_is_zero",
        also=(("step", unguarded_maximum),),
    ),
    Pitfall(rescaled_twice, pieces.update, "example", "rising"),
    Pitfall(factor_of_other_tile, pieces.update, "example", "one_tile"),
    Pitfall(mean_taken_for_sum, pieces.update, "example", "one_tile"),
    Pitfall(values_of_row_block, pieces.values, "example", "values_one"),
)
