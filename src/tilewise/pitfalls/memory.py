"""Wrong memory: whose it is, who else reads it, and how it is laid out."""

import torch

from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall

_kept = {}


def buffer_kept(q, d_v):
    """One buffer is kept for all calls: the next one overwrites the first one's
    result. Right: new memory at every call."""
    shape = (*q.shape[:-1], d_v)
    return _kept.setdefault((shape, q.dtype), q.new_empty(shape))


def scaled_in_place(q_i, k_j, scale):
    """q_i is a view, so *= writes into the caller's q, once per tile.
    Right: scale · q_i, a new tensor."""
    q_i *= scale
    return q_i @ k_j.mT


def strides_ignored(x):
    """Memory is read as if x were contiguous. Right: by its strides."""
    plain = torch.empty(x.shape).stride()
    return x.as_strided(x.shape, plain).to(pieces.load(x).dtype)


PITFALLS = (
    Pitfall(buffer_kept, pieces.buffer, "called_twice", "whole_tiles"),
    Pitfall(scaled_in_place, pieces.scores, "called_twice", "one_tile_output"),
    Pitfall(strides_ignored, pieces.load, "strided", "odd"),
)
