"""Which documents a worker reads, with workers that are only said to be there."""

from types import SimpleNamespace

import pytest

from tilewise.packing import PackedDataset

DOCUMENTS = [[10 * i + x for x in range(1 + i % 3)] for i in range(60)]


class Sized:
    """Has a length and can be read again, but not by number."""

    def __len__(self):
        return len(DOCUMENTS)

    def __iter__(self):
        return iter(DOCUMENTS)


class Full:
    """60 documents of 4 tokens, to be read one after another."""

    def __iter__(self):
        return iter([[1, 2, 3, 4]] * 60)


class Numbered:
    """Can be read by number until IndexError, as Python's oldest iteration does."""

    def __getitem__(self, index):
        return DOCUMENTS[index]


def indices(rows):
    return [i for row in rows for i in row["index"].tolist()]


@pytest.fixture
def worker(monkeypatch):
    """worker(id, n): this process is worker id of n."""

    def be(number, workers):
        info = SimpleNamespace(id=number, num_workers=workers)
        name = "tilewise.packing.stream.get_worker_info"
        monkeypatch.setattr(name, lambda: info)

    return be


@pytest.mark.parametrize("source", [lambda: DOCUMENTS, Sized, Numbered])
@pytest.mark.parametrize("seed", [None, 3])
def test_worker_w_of_a_rank_takes_every_other_document_of_its_share(
    worker, source, seed
):
    """Share r W + w of R W takes documents r W + w, then R W further on."""
    everything = []
    for rank in range(2):
        for number in range(3):
            worker(number, 3)
            dataset = PackedDataset(source(), 8, rank=rank, world_size=2, seed=seed)
            found = indices(dataset)
            everything += found
            if seed is None or source in (Sized, Numbered):  # else it is drawn
                assert sorted(found) == [*range(3 * rank + number, 60, 6)]
    assert sorted(everything) == [*range(60)]


def test_a_look_ahead_is_packed_as_soon_as_it_is_full_and_not_before():
    """2, 3, 2 tokens leave one free of 2 · 4: the next document goes with the 3."""
    documents = [[1] * n for n in (2, 3, 2, 1)]
    rows = list(PackedDataset(documents, 4, look_ahead=2))
    assert [row["index"].tolist() for row in rows] == [[1, 3], [0, 2]]


def test_each_share_draws_an_order_of_its_own(worker):
    """30 documents that fill a row each: only the drawing tells two workers apart."""
    orders = []
    for number in range(2):
        worker(number, 2)
        rows = PackedDataset(Full(), 4, look_ahead=10, seed=1)
        orders.append([i // 2 for i in indices(rows)])
    assert sorted(orders[0]) == sorted(orders[1]) == [*range(30)]
    assert orders[0] != orders[1]


def test_one_process_takes_all_and_a_look_ahead_of_64_rows():
    assert sorted(indices(PackedDataset(DOCUMENTS, 8))) == [*range(60)]
    assert PackedDataset(DOCUMENTS, 8).look_ahead == 64


def test_a_seed_and_an_epoch_draw_the_order_of_the_documents():
    """Alone: which row comes when is drawn for itself."""

    def order(seed, epoch):
        return [i for i, _ in PackedDataset(DOCUMENTS, 9, seed=seed).read(0, 1, epoch)]

    drawn = [order(5, 0), order(6, 0), order(5, 1), order(6, 1)]
    assert all(sorted(x) == [*range(60)] for x in drawn)
    assert len({tuple(x) for x in drawn}) == 4 and order(6, 1) == drawn[-1]
