"""The documents of a pack, one after another, each with its own part of the options."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tilewise.attention.passes import Options, tiled


def bounds(name: str, cu: Tensor, total: int) -> list[tuple[int, int]]:
    """[(first, end)] of the documents; ValueError if they do not make up all rows."""
    ends = cu.tolist()
    if ends[0] != 0:
        raise ValueError(f"{name} must begin with 0, not {ends[0]}")
    if ends[-1] != total:
        raise ValueError(f"{name} must end with {total}, the rows, not {ends[-1]}")
    for b, (first, end) in enumerate(zip(ends, ends[1:])):
        if first > end:
            raise ValueError(f"{name} must not fall: {first}, {end} for document {b}")
    return list(zip(ends, ends[1:]))


def pairs(
    q: Tensor, k: Tensor, cu_q: Tensor, cu_k: Tensor
) -> list[tuple[slice, slice]]:
    """[(rows of q, rows of k)] of every document, as slices."""
    both = bounds("cu_seqlens_q", cu_q, len(q)), bounds("cu_seqlens_k", cu_k, len(k))
    return [(slice(*rows), slice(*keys)) for rows, keys in zip(*both)]


class Document(NamedTuple):
    """Rows and keys of a document, and flash2's options for it; rows and keys are some.

    at is where its slopes are among those of all: its number, or everywhere.
    """

    rows: slice
    keys: slice
    at: int | slice
    slopes: Tensor | None
    how: dict[str, Any]

    def tensors(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k and v of the document alone."""
        return alone(q, self.rows), alone(k, self.keys), alone(v, self.keys)


def documents(
    q: Tensor, k: Tensor, cu_q: Tensor, cu_k: Tensor, options: Options
) -> Iterator[Document]:
    """Yield every document that has rows and keys."""
    wide = torch.promote_types(q.dtype, torch.float32)
    slopes, mask = options.alibi_slopes, options.block_mask
    each = slopes is not None and slopes.ndim == 2
    for b, (rows, keys) in enumerate(pairs(q, k, cu_q, cu_k)):
        if rows.start == rows.stop or keys.start == keys.stop:
            continue
        at = b if each else slice(None)
        own = None if slopes is None else slopes[at].to(wide)
        part = None if mask is None else mask.part(rows, keys)
        mine = options._replace(alibi_slopes=own, block_mask=part)
        shapes = q[rows].transpose(0, 1), k[keys].transpose(0, 1)
        yield Document(rows, keys, at, own, tiled(*shapes, None, mine, first=b))


def alone(x: Tensor, rows: slice) -> Tensor:
    """A document by itself, (heads, N, …): in memory of its own.

    So where it lies among the others changes no bit, as alignment might.
    """
    return x[rows].transpose(0, 1).clone(memory_format=torch.contiguous_format)
