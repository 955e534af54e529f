"""Wrong dropout: another mask on the way back, another mean, another normaliser."""

import torch

from tilewise.flash1 import weight
from tilewise.pitfalls import pieces, pieces_backward
from tilewise.pitfalls.registry import Pitfall


# --8<-- [start:mask_from_stream]
def mask_from_stream(p, seed, n_q, n_k):
    """Each entry takes the next random number: other tiles or another order of loops
    draw another mask. Right: a function of the entry's own place."""
    stream = torch.Generator().manual_seed(seed)
    return lambda rows, cols: torch.rand(len(rows), len(cols), generator=stream) >= p
    # --8<-- [end:mask_from_stream]


def dropped_before_sum(m, l, o, s, v_j, z):
    """ℓ sums only what was kept: the rest is made larger to fill the gap. Right: ℓ is
    summed first, dropout acts on P / ℓ."""
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, alpha = weight(s, m_new) * z, weight(m, m_new)
    return m_new, alpha * l + p.sum(-1, keepdim=True), alpha * o + p @ v_j


def not_scaled_up(kept, p):
    """Weights that are kept are not scaled up: the mean falls.
    Right: Z = kept / (1 − p)."""
    return kept.double()


def dropped_forward_only(p, z, q_i, do_i, delta, k_j, v_j, scale):
    """dP does not pass through dropout on its way back. Right: dP = dO Vᵀ ∘ Z."""
    dv = (p * z).mT @ do_i
    ds = p * (do_i @ v_j.mT - delta)
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv


PITFALLS = (
    Pitfall(mask_from_stream, pieces.keep, "dropout", "dropout_one_tile"),
    Pitfall(dropped_before_sum, pieces.step, "dropout", "mean_weight"),
    Pitfall(not_scaled_up, pieces.factor, "dropout", "fraction_dropped"),
    Pitfall(
        dropped_forward_only, pieces_backward.gradients, "dropout", "dropout_linear"
    ),
)
