"""A mask as PyTorch passes it, bools or floats of S's shape, cut into tiles.

Floats are added to S. They may repeat along an axis (a size of 1 there), and may want a
gradient, which is dS summed over where they repeat.
"""

from collections.abc import Iterator, Sequence
from types import EllipsisType

import torch
from torch import Tensor

from tilewise.tiled import TileRule
from tilewise.variants import Tile


def check_mask(attn_mask: object, shape: Sequence[int], dtype: torch.dtype) -> None:
    """Raise TypeError or ValueError where the mask does not fit an S of this shape."""
    if not isinstance(attn_mask, torch.Tensor | None):
        kind = type(attn_mask).__name__
        raise TypeError(f"attn_mask must be None or a tensor, not {kind}")
    if attn_mask is None:
        return
    if attn_mask.dtype not in (torch.bool, torch.float32, dtype):
        expected = f"bool, float32 or {dtype} like q"
        raise TypeError(f"attn_mask must be of {expected}, not {attn_mask.dtype}")
    pairs = zip(reversed(attn_mask.shape), reversed(shape))
    fits = all(size == 1 or size == full for size, full in pairs)
    if not fits or not 2 <= attn_mask.ndim <= len(shape):
        shapes = f"{tuple(shape)}, not {tuple(attn_mask.shape)}"
        raise ValueError(f"attn_mask must broadcast, from 2 axes on, to {shapes}")


def place(
    attn_mask: Tensor, rows: Tensor, cols: Tensor
) -> tuple[EllipsisType, Tensor, Tensor]:
    """The index of tile rows (B_r, 1), cols (B_c), where an axis of size 1 is all."""
    n_q, n_k = attn_mask.shape[-2:]
    return ..., rows if n_q > 1 else 0 * rows[:1], cols if n_k > 1 else 0 * cols[:1]


def mask_option(attn_mask: Tensor | None) -> dict[str, TileRule]:
    """flash2's option mask or bias: a function of a tile's rows, cols."""
    if attn_mask is None:
        return {}
    name = "mask" if attn_mask.dtype == torch.bool else "bias"
    return {name: lambda rows, cols: attn_mask[place(attn_mask, rows, cols)]}


def mask_gradient(attn_mask: Tensor, tiles: Iterator[Tile]) -> Tensor:
    """The gradient of a float mask (..., N_q or 1, N_k or 1), in its shape and dtype.

    tiles are those of tilewise.variants.score_gradients: dS of each tile.
    """
    out = None
    for (rows, cols), ds in tiles:
        out = torch.zeros_like(attn_mask, dtype=ds.dtype) if out is None else out
        at = place(attn_mask, rows, cols)
        out[at] += ds.sum_to_size(out[at].shape)
    return torch.zeros_like(attn_mask) if out is None else out.to(attn_mask.dtype)
