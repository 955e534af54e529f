"""Masks as intervals: which keys each row sees, from global indices alone.

Every mask here lets row r see one interval of keys, first(r) ≤ c < end(r). Two
intervals intersect in an interval, so masks compose. Whether a tile is full, partial or
empty follows exactly from the B_r intervals of its rows, without any N × N matrix.

A span is a function rows (B_r, 1) → (first, end), where each of the two is a number or
a tensor that broadcasts to (..., B_r, 1); rows are int64 indices in the whole sequence.
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

    Raises ValueError where there is none.
    """
    if not spans:
        raise ValueError("spans must be at least one span, not none")

    def span(rows: Tensor) -> tuple[Tensor, Tensor]:
        parts = [
            [torch.as_tensor(x, device=rows.device) for x in f(rows)] for f in spans
        ]
        first, end = parts[0]
        for a, b in parts[1:]:
            first, end = torch.maximum(first, a), torch.minimum(end, b)
        return first, end

    return span


def tile_mask(*spans: Span) -> Callable[[Tensor, Tensor], Tensor]:
    """mask(rows (B_r, 1), cols (B_c)) → bools (..., B_r, B_c): True if all show c."""
    both = intersect(*spans)

    def mask(rows: Tensor, cols: Tensor) -> Tensor:
        first, end = both(rows)
        return (first <= cols) & (cols < end)

    return mask


# --8<-- [start:kind]
def tile_kind(span: Span, rows: Sequence[int], cols: Sequence[int]) -> str:
    """Whether a tile is "full", "partial" or "empty", for the whole batch.

    rows and cols are [first, end) of the tile, as in tilewise.trace. Each row sees
    cols from max(first, cols[0]) to min(end, cols[1]): the tile is empty if that is
    nothing in every row, and full if it is everything in every row.
    """
    (c, c_end), span_of = cols, span(torch.arange(*rows)[:, None])
    first, end = (torch.as_tensor(x) for x in span_of)
    count = end.clamp(max=c_end) - first.clamp(min=c)  # keys of a row, if above 0
    if (count <= 0).all():
        return "empty"
    return "full" if (count == c_end - c).all() else "partial"
    # --8<-- [end:kind]
