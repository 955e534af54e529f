"""Count what padding and packing cost on two long-tailed collections; no GPU needed.

    python scripts/measure/packing/packing.py

Writes benchmarks/results/cpu-<date>-packing.json. Everything in it is an exact count,
but for the seconds that packing takes and the ratios of times.
"""

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.packing import _packing_time
from measure.packing._packing_lengths import (
    LONGEST,
    MEDIAN,
    NUMBER,
    SIGMA,
    functions,
    log_normal,
)
from measure.shared.results import cpu, write

from tilewise.packing import PackedDataset, fill, first_fit_decreasing, in_order

BATCH = _packing_time.BATCH
METHOD = f"""Two collections of documents. log_normal: {NUMBER} lengths, {MEDIAN} times
e to the {SIGMA} z with z standard normal (seed 0), rounded, at least 1 and at most
{LONGEST}. functions: the tokens of each function and method of the standard library of
the Python named below, by its tokenize, without comments, line ends and indentation,
without tests, shuffled (seed 0). A row of a model's input has `size` tokens. slots: how
many tokens all rows together have; fill: the share of them that documents take; pairs:
query and key pairs that a causal mask leaves, over all rows, a padded row counted as a
document; work: pairs over those of the documents alone. Ways: to_size, every document
padded to size. to_longest, batches of {BATCH} in the order given, padded to the longest
of each. sorted, the same after sorting each 32 batches by length. powers, each padded
to the next power of two. in_order and decreasing, tilewise.packing. look_ahead_n,
PackedDataset with look_ahead n. no_borders, decreasing, each row as one document.
chopped, all documents end to end in rows of size: cut_documents of them are cut.
seconds: process time of the bins of all documents. times: see its own words."""


def pairs(n):
    """Keys that n rows see, causally."""
    return n * (n + 1) // 2


class Blank:
    """Documents of given lengths, nothing in them."""

    def __init__(self, lengths):
        self.lengths = lengths

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return torch.zeros(self.lengths[index], dtype=torch.int64)


def batches(lengths):
    """The lengths to which each document is padded in batches of BATCH."""
    for at in range(0, len(lengths), BATCH):
        batch = lengths[at : at + BATCH]
        yield from [max(batch)] * len(batch)


def padded(lengths, size):
    """(way, [padded lengths])."""
    pool = 32 * BATCH
    pools = [sorted(lengths[a : a + pool]) for a in range(0, len(lengths), pool)]
    yield "to_size", [size] * len(lengths)
    yield "to_longest", [*batches(lengths)]
    yield "sorted", [n for x in pools for n in batches(x)]
    yield "powers", [1 << (n - 1).bit_length() for n in lengths]


def packed(lengths, size):
    """(way, rows, seconds or None)."""
    methods = {"in_order": in_order, "decreasing": first_fit_decreasing}
    for way, method in methods.items():
        start = time.process_time()
        bins = method(lengths, size)
        seconds = time.process_time() - start
        fill(lengths, bins, size)  # raises if a document is missing
        yield way, len(bins), seconds
    for look_ahead in (1, 2, 4, 16, 64):
        rows = PackedDataset(Blank(lengths), size, look_ahead=look_ahead)
        yield f"look_ahead_{look_ahead}", sum(1 for _ in rows), None


def chopped(lengths, size):
    """Pairs with borders, and how many documents lie in more than one row."""
    total, at, cut = 0, 0, 0
    for length in lengths:
        first, last = at // size, (at + length - 1) // size
        cut += last > first
        for row in range(first, last + 1):
            piece = min(at + length, (row + 1) * size) - max(at, row * size)
            total += pairs(piece)
        at += length
    return {"pairs": total, "cut_documents": cut}


def rows(name, lengths, size):
    """One row a way."""
    tokens, alone = sum(lengths), sum(map(pairs, lengths))

    def made(way, slots, count, **more):
        row = {"documents": name, "way": way, "slots": slots, "fill": tokens / slots}
        return row | {"pairs": count, "work": count / alone} | more

    for way, wide in padded(lengths, size):
        yield made(way, sum(wide), sum(map(pairs, wide)))
    for way, number, seconds in packed(lengths, size):
        more = {} if seconds is None else {"seconds": seconds}
        yield made(way, number * size, alone, rows=number, **more)
        if way == "decreasing":
            yield made("no_borders", number * size, number * pairs(size), rows=number)
    number = -(-tokens // size)
    more = chopped(lengths, size)
    yield made("chopped", number * size, more.pop("pairs"), rows=number, **more)


def about(name, lengths, size):
    """What the collection is like."""
    order, n = sorted(lengths), len(lengths)
    marks = {f"p{int(100 * x)}": order[int(x * n)] for x in (0.1, 0.5, 0.9, 0.99)}
    sums = {"number": n, "tokens": sum(order), "mean": sum(order) / n}
    return {"name": name, "size": size} | sums | marks | {"longest": order[-1]}


def main():
    """Count, time, write."""
    torch.set_num_threads(1)
    collections = {"log_normal": (log_normal(), 8192), "functions": (functions(), 4096)}
    counted = [x for k, given in collections.items() for x in rows(k, *given)]
    found = {
        "collections": [about(k, *given) for k, given in collections.items()],
        "rows": counted,
        "times": _packing_time.measure(collections["log_normal"][0]),
    }
    write("packing", METHOD, found, cpu())


if __name__ == "__main__":
    main()
