"""Which document goes into which row: bins of one size, from the lengths alone.

lengths is a list of whole numbers, or a tensor, of 1 to `size` tokens each; a bin is a
list of indices into it. Sources: D. S. Johnson, "Near-optimal bin packing algorithms",
MIT 1973, for first fit decreasing; G. Dósa, ESCAPE 2007, doi
10.1007/978-3-540-74450-4_1, for its bound of 11/9 of the fewest bins and 6/9 of one.
"""

import operator

# --8<-- [start:first_fit_decreasing]
from collections.abc import Iterable, Sequence
from typing import SupportsIndex

Lengths = Iterable[SupportsIndex]  # a list or a tensor of whole numbers


def first_fit_decreasing(lengths: Lengths, size: int) -> list[list[int]]:
    """Longest document first, each into the first bin that has room for it.

    lengths (documents,) → bins, each longest first; equal lengths keep their order. A
    tree over the bins holds the most room below each node, so n documents take
    O(n log n). Raises ValueError for a length that is below 1 or above size.
    """
    lengths = checked(lengths, size)
    leaves = 1 << max(len(lengths) - 1, 0).bit_length()  # a bin each, at most
    room = [size] * (2 * leaves)  # of node x, the most below: below 2x and 2x + 1
    bins: dict[int, list[int]] = {}
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        need, node = lengths[index], 1
        while node < leaves:
            node *= 2
            node += room[node] < need  # to the right where the left has no room
        room[node] -= need
        bins.setdefault(node - leaves, []).append(index)
        while node > 1:
            node //= 2
            room[node] = max(room[2 * node], room[2 * node + 1])
    return [*bins.values()]
    # --8<-- [end:first_fit_decreasing]


def in_order(lengths: Lengths, size: int) -> list[list[int]]:
    """One document after another; one that does not fit closes the bin (next fit).

    lengths (documents,) → bins that keep the order. Raises ValueError for a length that
    is below 1 or above size.
    """
    bins: list[list[int]] = []
    room = 0
    for index, length in enumerate(checked(lengths, size)):
        if length > room:
            bins.append([])
            room = size
        bins[-1].append(index)
        room -= length
    return bins


def fill(lengths: Lengths, bins: Sequence[Sequence[int]], size: int) -> float:
    """The share of the bins that is filled: Σ lengths / (size · number of bins).

    Raises ValueError where there is no bin, or the bins hold a document not just once.
    """
    lengths = checked(lengths, size)
    if not bins or sorted(i for x in bins for i in x) != [*range(len(lengths))]:
        raise ValueError(f"bins must hold each of {len(lengths)} documents once")
    return sum(lengths) / (size * len(bins))


def checked(lengths: Lengths, size: int) -> list[int]:
    """The lengths as a list of ints; ValueError or TypeError for what cannot be."""
    check_size(size)
    lengths = lengths.tolist() if hasattr(lengths, "tolist") else lengths
    sizes = [operator.index(length) for length in lengths]
    for index, length in enumerate(sizes):
        if not 1 <= length <= size:
            raise ValueError(f"document {index} must have 1 to {size} tokens: {length}")
    return sizes


def check_size(size: int) -> None:
    """Raise ValueError where no row can have this size."""
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ValueError(f"size must be a whole number of at least 1, not {size!r}")
