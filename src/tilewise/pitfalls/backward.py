"""Wrong backward passes: δ, the scale, the mask, and what is added to what."""

import torch

from tilewise.flash1 import weight
from tilewise.pitfalls import pieces_backward as pieces
from tilewise.pitfalls.registry import Pitfall


# --8<-- [start:jacobian_unweighted]
def jacobian_unweighted(p, z, q_i, do_i, delta, k_j, v_j, scale):
    """dS = P ∘ dP − δ: δ is not weighted. Right: P ∘ (dP − δ), whose rows sum to 0."""
    dv = (p * z).mT @ do_i
    dp = (do_i @ v_j.mT) * z
    ds = p * dp - delta
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv
    # --8<-- [end:jacobian_unweighted]


def delta_of_tile(p, z, q_i, do_i, delta, k_j, v_j, scale):
    """δ = rowsum(dP ∘ P) over the tile's keys only. Right: over all keys, which is
    rowsum(dO ∘ O), known before the first tile."""
    dv = (p * z).mT @ do_i
    dp = (do_i @ v_j.mT) * z
    ds = p * (dp - (dp * p).sum(-1, keepdim=True))
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv


def scale_left_out(p, z, q_i, do_i, delta, k_j, v_j, scale):
    """dQ = dS K and dK = dSᵀ Q lack τ. Right: S = τ Q Kᵀ, so both have it."""
    dv = (p * z).mT @ do_i
    ds = p * ((do_i @ v_j.mT) * z - delta)
    return ds @ k_j, ds.mT @ q_i, dv


def weights_not_divided(s, lse, m):
    """P = e^{S − m}, which is ℓ times too large. Right: e^{S − L}, or e^{S − m} / ℓ."""
    return weight(s, m)


def unguarded_again(s, lse, m):
    """For a row that saw no key, S − L is −∞ − (−∞). Right: P is 0 where S is −∞."""
    return torch.exp(s - lse)


def mask_forgotten(seen):
    """The backward pass sees all keys: weights of hidden ones come back. Right: the
    forward pass's mask."""
    return torch.ones_like(seen)


def gradient_overwritten(total, at, part):
    """The last tile's part replaces the others. Right: it is added to them."""
    total[..., at, :] = part


PITFALLS = (
    Pitfall(jacobian_unweighted, pieces.gradients, "example", "loss_falls"),
    Pitfall(delta_of_tile, pieces.gradients, "example", "one_tile_gradients"),
    Pitfall(scale_left_out, pieces.gradients, "example", "directions"),
    Pitfall(weights_not_divided, pieces.again, "example", "one_key_gradients"),
    Pitfall(unguarded_again, pieces.again, "causal_shorter", "nothing_seen_is_zero"),
    Pitfall(mask_forgotten, pieces.seen_again, "causal", "odd_gradients"),
    Pitfall(gradient_overwritten, pieces.add, "example", "one_tile_gradients"),
)
