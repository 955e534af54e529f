"""Packing while reading: rows from documents that do not fit into memory at once."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils.data import IterableDataset, get_worker_info

from tilewise.packing.bins import check_size, first_fit_decreasing
from tilewise.packing.rows import Part, Row, row, split


class PackedDataset(IterableDataset[Row]):
    """Rows of at most size tokens, packed from a look-ahead of look_ahead rows' tokens.

    documents: token ids (n,) each, in something with a length and an index, or in
    something that can be iterated over again. Of S = world_size · workers shares, share
    s takes documents s, s + S, s + 2S, …: each is in one row of one worker of one rank,
    if every rank has as many workers. As soon as a look-ahead is full it is packed by
    bins, and the documents of the last bin wait for the next; at the end all go out. So
    memory holds look_ahead · size tokens and a document.

    With a seed, an epoch's order is drawn from (seed, epoch): of all documents if they
    have an index, and of the rows of a look-ahead, which first fit decreasing leaves
    with the longest documents first. The same seed, epoch, world_size and number of
    workers give the same rows. cut and pad are those of split and row.

    Raises ValueError for a size, look_ahead or rank that cannot be, TypeError for an
    iterator, which could be read only once.
    """

    def __init__(
        self,
        documents: Any,
        size: int,
        *,
        look_ahead: int = 64,
        bins: Callable[[list[int], int], list[list[int]]] = first_fit_decreasing,
        cut: bool = False,
        pad: int | None = None,
        seed: int | None = None,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        check_size(size)
        if not isinstance(look_ahead, int) or look_ahead < 1:
            raise ValueError(f"look_ahead must be at least 1, not {look_ahead!r}")
        if not 0 <= rank < world_size:
            raise ValueError(f"rank must be 0 to {world_size - 1}, not {rank}")
        if hasattr(documents, "__next__"):
            raise TypeError("documents must be readable again, not an iterator")
        self.documents, self.size, self.look_ahead = documents, size, look_ahead
        self.bins, self.cut, self.pad = bins, cut, pad
        self.seed, self.rank, self.world_size = seed, rank, world_size
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.epoch.share_memory_()  # for workers that will be forked from this copy

    def set_epoch(self, epoch: int) -> None:
        """The epoch of the next iteration, also in workers that run already."""
        self.epoch.fill_(epoch)

    def __iter__(self) -> Iterator[Row]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        share = self.rank * workers + number
        return self.rows(share, self.world_size * workers, int(self.epoch))

    def rows(self, share: int, shares: int, epoch: int) -> Iterator[Row]:
        """The rows of one share, one after another."""
        waiting, tokens = [], 0
        draw = random.Random(f"{self.seed} {epoch} {share}")
        for index, document in self.read(share, shares, epoch):
            parts = split(document, index, self.size, cut=self.cut)
            waiting += parts
            tokens += sum(len(part[0]) for part in parts)
            if tokens >= self.look_ahead * self.size:
                *full, waiting = self.packed(waiting)
                tokens = sum(len(part[0]) for part in waiting)
                yield from self.rows_of(full, draw)
        yield from self.rows_of(self.packed(waiting), draw)

    def read(self, share: int, shares: int, epoch: int) -> Iterator[tuple[int, Any]]:
        """(index, document) of one share, in the order of this epoch."""
        if not indexed(self.documents):
            return itertools.islice(enumerate(self.documents), share, None, shares)
        order: Sequence[int] = range(len(self.documents))
        if self.seed is not None:
            seed = random.Random(f"{self.seed} {epoch}").getrandbits(63)
            generator = torch.Generator().manual_seed(seed)
            order = torch.randperm(len(order), generator=generator).tolist()
        return ((i, self.documents[i]) for i in order[share::shares])

    def packed(self, parts: list[Part]) -> list[list[Part]]:
        """The parts in bins."""
        bins = self.bins([len(part[0]) for part in parts], self.size)
        return [[parts[i] for i in bin_] for bin_ in bins]

    def rows_of(self, bins: list[list[Part]], draw: random.Random) -> Iterator[Row]:
        """The bins as rows, with a seed in an order that is drawn."""
        if self.seed is not None:
            draw.shuffle(bins)
        return (row(bin_, self.size, self.pad) for bin_ in bins)


def indexed(documents: object) -> bool:
    """Whether any document can be had by its number."""
    both = hasattr(documents, "__len__") and hasattr(documents, "__getitem__")
    return both and not isinstance(documents, IterableDataset)  # which has the latter
