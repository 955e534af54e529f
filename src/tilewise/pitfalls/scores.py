"""Wrong scores: the scale and where the maximum starts."""

from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def scale_multiplied(q, k):
    """The scores are multiplied by √d. Right: divided, τ = 1 / √d."""
    return q.shape[-1] ** 0.5


def scale_of_length(q, k):
    """The scale is taken from the wrong axis, 1 / √N. Right: 1 / √d, the last axis."""
    return k.shape[-2] ** -0.5


def scale_twice(q_i, k_j, scale):
    """Both q and the scores are scaled, by τ² in all. Right: one of them, by τ."""
    return scale * ((scale * q_i) @ k_j.mT)


PITFALLS = (
    Pitfall(scale_multiplied, pieces.scale, "odd", "one_dimension"),
    Pitfall(scale_of_length, pieces.scale, "odd", "length_is_dimension"),
    Pitfall(scale_twice, pieces.scores, "odd", "values_one"),
)
