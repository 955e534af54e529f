"""The dataset: every document once, over workers and ranks, the same for a seed."""

import pickle
import random
from collections import Counter

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset

from tilewise.packing import PackedDataset, collate, fill, pack
from tilewise.packing.bins import first_fit_decreasing, in_order

from ..ring._ring_start import forks

SIZE = 32
pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")


def draw(seed=0, number=300, longest=SIZE):
    """Random documents as lists, each token another number."""
    rng, made = random.Random(seed), [[-1]]
    for _ in range(number):
        first, n = made[-1][-1] + 1, 1 + int(rng.lognormvariate(1.8, 1))
        made.append([*range(first, first + min(longest, n))])
    return made[1:]


DOCUMENTS = [*draw(), [-1]]  # one token more than full rows
assert sum(map(len, DOCUMENTS)) % SIZE


class Read(IterableDataset):
    """Documents to be read from the first to the last; counts reads."""

    def __init__(self, documents):
        self.documents, self.most = documents, 0

    def __iter__(self):
        for self.most, document in enumerate(self.documents, 1):  # noqa: B020
            yield document


def lists(rows):
    """Rows as lists of numbers, to compare."""
    return [{k: x.tolist() for k, x in r.items()} for r in rows]


def indices(rows):
    return [i for r in rows for i in r["index"].tolist() if i >= 0]


def whole(rows):
    """Whether every document is there once, token by token, in rows that fit."""
    assert all(len(r["tokens"]) <= SIZE for r in rows)
    counted = Counter(t for r in rows for t in r["tokens"].tolist())
    return counted == Counter(t for x in DOCUMENTS for t in x)


@pytest.mark.parametrize("source", [list, Read])
@pytest.mark.parametrize("bins", [first_fit_decreasing, in_order])
def test_every_document_once_and_a_partial_row_at_the_end(source, bins):
    for look_ahead in (1, 2, 5, 1000):
        for seed in (None, 3):
            how = {"look_ahead": look_ahead, "bins": bins, "seed": seed}
            rows = [*PackedDataset(source(DOCUMENTS), SIZE, **how)]
            assert whole(rows)
            assert sorted(indices(rows)) == [*range(len(DOCUMENTS))]
            assert min(len(r["tokens"]) for r in rows) < SIZE


def test_a_look_ahead_of_everything_is_pack_and_in_order_needs_none():
    dataset = PackedDataset(DOCUMENTS, SIZE, look_ahead=10_000)
    assert lists(dataset) == lists(pack(DOCUMENTS, SIZE))
    expected = lists(pack(DOCUMENTS, SIZE, bins=in_order))
    for look_ahead in (1, 2, 7, 1000):
        made = PackedDataset(DOCUMENTS, SIZE, look_ahead=look_ahead, bins=in_order)
        assert lists(made) == expected


def test_a_longer_look_ahead_fills_better():
    lengths = [len(x) for x in DOCUMENTS]
    datasets = [PackedDataset(DOCUMENTS, SIZE, look_ahead=x) for x in (1, 4, 64)]
    shares = [sum(lengths) / SIZE / len([*x]) for x in datasets]
    ordered = fill(lengths, in_order(lengths, SIZE), SIZE)
    assert ordered < shares[0] < shares[1] <= shares[2] and shares[2] > 0.97


def test_no_more_is_read_than_the_look_ahead_holds():
    """When a row comes out, at most look_ahead rows and a document are held."""
    source, out = Read(DOCUMENTS), 0
    for packed in PackedDataset(source, SIZE, look_ahead=3):
        read = sum(map(len, DOCUMENTS[: source.most]))
        assert read - out < 3 * SIZE + SIZE
        out += len(packed["tokens"])


@pytest.mark.parametrize("source", [list, Read])
def test_ranks_share_the_documents(source):
    for n in (2, 3):
        how = {"look_ahead": 4, "seed": 1, "world_size": n}
        made = [PackedDataset(source(DOCUMENTS), SIZE, rank=r, **how) for r in range(n)]
        assert whole([x for dataset in made for x in dataset])


@pytest.mark.parametrize("source", [list, Read])
def test_seed_and_epoch_say_the_order(source):
    def epoch(number, **options):
        dataset = PackedDataset(source(DOCUMENTS), SIZE, look_ahead=8, **options)
        dataset.set_epoch(number)
        return lists(dataset)

    assert epoch(0, seed=5) == epoch(0, seed=5)
    assert epoch(1, seed=5) == epoch(1, seed=5) != epoch(0, seed=5)
    assert epoch(0, seed=5) != epoch(0, seed=6) != epoch(1, seed=5)
    assert epoch(1, seed=0) != epoch(0, seed=1)
    assert epoch(0) == epoch(1)  # without a seed the documents' own order
    made = PackedDataset(source(DOCUMENTS), SIZE, look_ahead=10_000)
    longest = [int(x["cu_seqlens"].diff().max()) for x in made]
    assert longest == sorted(longest, reverse=True)  # as first fit decreasing has them
    made.seed = 5
    assert [int(x["cu_seqlens"].diff().max()) for x in made] != longest
    half = PackedDataset(DOCUMENTS, SIZE, seed=5, world_size=2)
    mine = sorted(indices(half))  # which an epoch deals to the ranks anew
    half.set_epoch(1)
    assert mine != sorted(indices(half))


def test_long_documents_are_cut_if_asked():
    long = [*range(10_000, 10_100)]
    with pytest.raises(ValueError, match="document 301 has 100 tokens"):
        list(PackedDataset([*DOCUMENTS, long], SIZE))
    rows = PackedDataset([*DOCUMENTS, long], SIZE, cut=True, look_ahead=2)
    assert sorted(t for r in rows for t in r["tokens"].tolist() if t >= 10_000) == long


def test_pad_makes_all_rows_equally_long():
    rows = [*PackedDataset(DOCUMENTS, SIZE, pad=-2)]
    assert {len(r["tokens"]) for r in rows} == {SIZE}
    assert sum((r["tokens"] != -2).sum() for r in rows) == sum(map(len, DOCUMENTS))


def test_pickled_it_is_the_same_and_its_epoch_still_shared():
    dataset = PackedDataset(DOCUMENTS, SIZE, seed=2)
    dataset.set_epoch(4)
    copy = pickle.loads(pickle.dumps(dataset))
    assert lists(copy) == lists(dataset)
    assert copy.epoch.is_shared() and copy.epoch.dtype == torch.int64


def test_what_cannot_be_is_refused():
    for how, ends in (
        ({"size": 0}, "1, not 0"),
        ({"look_ahead": 0}, "1, not 0"),
        ({"look_ahead": 1.5}, "1, not 1.5"),
        ({"rank": 1, "world_size": 1}, "0, not 1"),
        ({"rank": -1, "world_size": 3}, "2, not -1"),
        ({"rank": 0, "world_size": 0}, "-1, not 0"),
    ):
        with pytest.raises(ValueError, match=f"^{[*how][0]} .* {ends}$"):
            PackedDataset(DOCUMENTS, **{"size": SIZE} | how)
    with pytest.raises(TypeError, match="not an iterator"):
        PackedDataset(iter(DOCUMENTS), SIZE)


def ordered(rows):
    """By their first token, which is another in every row."""
    return sorted(rows, key=lambda row: row["tokens"][0])


def expected(workers, epoch, seed=7):
    """What workers give, each for itself, computed in this process."""
    dataset = PackedDataset(DOCUMENTS, SIZE, look_ahead=4, seed=seed)
    return [lists(dataset.rows(n, workers, epoch)) for n in range(workers)]


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_that_persist_have_each_document_once_an_epoch(workers):
    """All that a worker has was pickled; epochs reach it while it runs."""
    dataset = PackedDataset(DOCUMENTS, SIZE, look_ahead=4, seed=7)
    loader = DataLoader(
        dataset,
        batch_size=None,
        num_workers=workers,
        persistent_workers=True,
        generator=torch.Generator(),
        multiprocessing_context=forks("torch.utils.data"),
    )
    for epoch in (0, 3):
        dataset.set_epoch(epoch)
        assert whole(rows := [*loader])
        assert ordered(lists(rows)) == ordered(sum(expected(workers, epoch), []))


def test_batches_without_workers():
    dataset = PackedDataset(DOCUMENTS, SIZE, look_ahead=4, seed=7)
    batches = [*DataLoader(dataset, batch_size=4, collate_fn=collate)]
    assert sorted(indices(batches)) == [*range(len(DOCUMENTS))]
    tokens = sum((b["tokens"].tolist() for b in batches), [])
    assert tokens == sum((r["tokens"] for r in expected(1, 0)[0]), [])
