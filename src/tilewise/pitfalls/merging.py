"""Wrong merging: splits of the keys, and the log-sum-exp that weighs them."""

import math

import torch

from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def splits_averaged(o, lse):
    """The mean of the splits' outputs. Right: weighted by e^{L_s − L}."""
    return o.mean(0), lse.logsumexp(0)


def lse_added(o, lse):
    """L = Σ L_s, the logarithm of a product. Right: L = ln Σ e^{L_s}."""
    total = lse.sum(0)
    return (torch.exp(lse - total) * o).sum(0), total


def split_counts_from_zero(cols, first):
    """A split's causal mask takes its first key for key 0. Right: the index over the
    whole sequence."""
    return cols - first


def sum_not_logged(m, l, o):
    """L = m + ℓ. Right: m + ln ℓ, since e^L = e^m ℓ."""
    return pieces.finish(m, l, o)[0], m + l


def lse_in_base_2(m, l, o):
    """L = log₂ Σ e^s, from a kernel that computes in base 2. Right: times ln 2 at the
    end, where others expect a natural logarithm."""
    o, lse = pieces.finish(m, l, o)
    return o, lse / math.log(2)


PITFALLS = (
    Pitfall(splits_averaged, pieces.merge, "splits", "equal_splits_output"),
    Pitfall(lse_added, pieces.merge, "splits", "odd"),
    Pitfall(split_counts_from_zero, pieces.place, "causal_splits", "splits"),
    Pitfall(sum_not_logged, pieces.finish, "splits", "odd_output"),
    Pitfall(lse_in_base_2, pieces.finish, "splits", "odd_output"),
)
