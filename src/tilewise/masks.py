"""Masks as intervals: which keys each row sees, from global indices alone.

In most masks row r sees one interval of keys, first(r) ≤ c < end(r); in a union of
masks it sees several. Intervals intersect in intervals, so masks compose. Whether a
tile is full, partial or empty follows exactly from the intervals of its B_r rows,
without any N × N matrix.

A span is a function rows (B_r, 1) → (first, end), where each of the two is a number or
a tensor that broadcasts to (..., B_r, n): n intervals for each row, of which most
masks have one. rows are int64 indices in the whole sequence.
"""

# --8<-- [start:imports]
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Interval = tuple[Tensor | int, Tensor | int]
Span = Callable[[Tensor], Interval]
# --8<-- [end:imports]


def causal(n_q: int, n_k: int, align: str = "bottom-right") -> Span:
    """Row r sees keys 0 .. r + N_k − N_q, or 0 .. r for align="top-left".

    Raises ValueError for any other align.
    """
    shift = shift_of(n_q, n_k, align)
    return lambda rows: (0, rows + shift + 1)


def prefix(length: int) -> Span:
    """Every row sees keys 0 .. length − 1: a prompt, global tokens, the first few.

    Raises ValueError where length is not a whole number of at least 1.
    """
    if not isinstance(length, int) or isinstance(length, bool) or length < 1:
        raise ValueError(f"length must be a whole number of at least 1, not {length!r}")
    return lambda rows: (0, length)


def window(
    n_q: int,
    n_k: int,
    left: int | None,
    right: int | None = 0,
    align: str = "bottom-right",
) -> Span:
    """Row r sees keys r + shift − left .. r + shift + right; None is no limit.

    shift is N_k − N_q, or 0 for align="top-left"; right = 0 is the causal window.
    Raises ValueError where left or right is below 0 or not a whole number.
    """
    for name, size in (("left", left), ("right", right)):
        whole = isinstance(size, int) and not isinstance(size, bool)
        if size is not None and (not whole or size < 0):
            raise ValueError(f"{name} must be None or at least 0, not {size!r}")
    shift = shift_of(n_q, n_k, align)

    def span(rows: Tensor) -> Interval:
        first = 0 if left is None else rows + shift - left
        return first, n_k if right is None else rows + shift + right + 1

    return span


def shift_of(n_q: int, n_k: int, align: str) -> int:
    """What to add to a row's index for the index of the key that it stands at.

    Raises ValueError for an unknown align.
    """
    if align not in ("bottom-right", "top-left"):
        raise ValueError(f"align must be 'bottom-right' or 'top-left', not {align!r}")
    return n_k - n_q if align == "bottom-right" else 0


def key_padding(lengths: Tensor | Sequence[int]) -> Span:
    """Sequence b of a batch has lengths[b] keys; the keys after them are padding.

    lengths (batch,) → tile masks (batch, 1, 1, B_c), for q (batch, heads, N_q, d).
    Raises ValueError where lengths is not a row of whole numbers of at least 0.
    """
    end = whole_numbers("lengths", lengths, 0)[:, None, None, None]
    return lambda rows: (0, end.to(rows.device))


def documents(lengths: Tensor | Sequence[int]) -> Span:
    """Documents packed one after another: a row sees the keys of its own document.

    lengths (documents,): block-diagonal, for N_q = N_k. Rows after the last see none.
    Raises ValueError where lengths is not a row of whole numbers of at least 1.
    """
    ends = whole_numbers("lengths", lengths, 1).cumsum(0)
    edges = torch.cat([ends.new_zeros(1), ends, ends[-1:]])  # 0, the ends, none after

    def span(rows: Tensor) -> Interval:
        at = torch.bucketize(rows, ends.to(rows.device), right=True)  # which document
        here = edges.to(rows.device)
        return here[at], here[at + 1]

    return span


def whole_numbers(name: str, numbers: Tensor | Sequence[int], least: int) -> Tensor:
    """The numbers as an int64 tensor (n,), n ≥ 1, each at least `least`.

    Raises ValueError where they are not.
    """
    x = torch.as_tensor(numbers)
    whole = not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool)
    if x.ndim != 1 or not x.numel() or not whole or x.min() < least:
        raise ValueError(
            f"{name} must be a row of whole numbers of at least {least}, not {numbers}"
        )
    return x.long()


def intersect(*spans: Span) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """The span of the keys that all spans show: first = max first, end = min end.

    Each interval of one meets each of the other. Raises ValueError without spans.
    """
    if not spans:
        raise ValueError("spans must be at least one span, not none")

    def span(rows: Tensor) -> tuple[Tensor, Tensor]:
        first, end = intervals(spans[0], rows)
        for other in spans[1:]:
            a, b = (x[..., None, :] for x in intervals(other, rows))
            first = torch.maximum(first[..., None], a).flatten(-2)
            end = torch.minimum(end[..., None], b).flatten(-2)
        return first, end

    return span


def union(*spans: Span) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """The span of the keys that any of the spans shows: all their intervals.

    Raises ValueError without spans.
    """
    if not spans:
        raise ValueError("spans must be at least one span, not none")

    def span(rows: Tensor) -> tuple[Tensor, Tensor]:
        firsts, ends = zip(*(intervals(f, rows) for f in spans))
        lead = torch.broadcast_shapes(*(x.shape[:-1] for x in firsts))
        first, end = (
            torch.cat([x.expand(*lead, x.shape[-1]) for x in parts], -1)
            for parts in (firsts, ends)
        )
        return first, end

    return span


def tile_mask(*spans: Span) -> Callable[[Tensor, Tensor], Tensor]:
    """mask(rows (B_r, 1), cols (B_c)) → bools (..., B_r, B_c): True if all show c."""
    both = intersect(*spans)

    def mask(rows: Tensor, cols: Tensor) -> Tensor:
        first, end = (x[..., None] for x in both(rows))  # (..., B_r, n, 1)
        return ((first <= cols) & (cols < end)).any(-2)

    return mask


# --8<-- [start:kind]
def intervals(span: Span, rows: Tensor) -> tuple[Tensor, Tensor]:
    """first and end of a span as tensors of one shape, (n) or (..., B_r, n)."""
    ends = (torch.as_tensor(x, device=rows.device) for x in span(rows))
    first, end = torch.broadcast_tensors(*map(torch.atleast_1d, ends))
    return first, end


def tile_kind(span: Span, rows: Sequence[int], cols: Sequence[int]) -> str:
    """Whether a tile is "full", "partial" or "empty", for the whole batch.

    rows and cols are [first, end) of the tile, as in tilewise.trace. The tile is empty
    if no interval of any row has a key in it. It is full if the intervals of every row,
    taken from left to right, leave no gap in it.
    """
    first, end = intervals(span, torch.arange(*rows)[:, None])
    first, end = first.clamp(min=cols[0]), end.clamp(max=cols[1])
    if (first >= end).all():
        return "empty"
    first, order = first.sort(-1)
    reached = torch.full_like(first[..., :1], cols[0])  # all keys before it are seen
    for a, b in zip(first.split(1, -1), end.gather(-1, order).split(1, -1)):
        reached = torch.where(a <= reached, torch.maximum(reached, b), reached)
    return "full" if (reached == cols[1]).all() else "partial"
    # --8<-- [end:kind]
