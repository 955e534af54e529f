"""Wrong groups: query heads that share a key head (GQA)."""

from tilewise.pitfalls import pieces, pieces_backward
from tilewise.pitfalls.registry import Pitfall


def heads_repeated(x, group):
    """Key heads in the order 0 1 0 1. Right: 0 0 1 1, as query heads are grouped."""
    return x.repeat(*[1] * (x.ndim - 3), group, 1, 1)


def last_head_counts(x, group):
    """dK and dV of a key head come from one of its query heads. Right: their sum."""
    return x.unflatten(-3, (-1, group)).select(-3, -1)


PITFALLS = (
    Pitfall(heads_repeated, pieces.spread, "groups", "one_group"),
    Pitfall(last_head_counts, pieces_backward.gather, "groups", "no_groups"),
)
