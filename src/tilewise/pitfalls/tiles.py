"""Wrong tiles: what happens where N is not a multiple of the block, or B_r ≠ B_c."""

import torch
from torch.nn.functional import pad

from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def last_keys_left_out(n, size):
    """N // B blocks: the keys of a smaller last one are never read. Right: ⌈N / B⌉."""
    size = min(size, n)
    return [torch.arange(j * size, (j + 1) * size) for j in range(n // size)]


def last_keys_read_twice(n, size):
    """The last block is moved back to end at N: some keys count twice. Right: it is
    smaller, or what was seen before is hidden."""
    size = min(size, n)
    firsts = range(0, n, size)
    return [torch.arange(size) + min(first, n - size) for first in firsts]


def zeros_for_keys(k, v, size):
    """Keys are filled up with zeros, and a zero key scores 0. Right: it scores −∞."""
    missing = -k.shape[-2] % size
    return pad(k, (0, 0, 0, missing)), pad(v, (0, 0, 0, missing))


def square_tiles_assumed(key_blocks, rows, block_rows, shift):
    """Row block i visits key blocks 0 .. i, as if B_r = B_c. Right: up to its last
    row's last key."""
    return key_blocks[: rows[0] // block_rows + 1]


PITFALLS = (
    Pitfall(last_keys_left_out, pieces.blocks, "odd", "whole_tiles"),
    Pitfall(last_keys_read_twice, pieces.blocks, "odd", "whole_tiles"),
    Pitfall(zeros_for_keys, pieces.pad, "odd", "whole_tiles"),
    Pitfall(square_tiles_assumed, pieces.visit, "causal_uneven_tiles", "causal"),
)
