"""Bins from lengths: against the rule as it is said, and against the fewest bins."""

import random

import pytest
import torch

from tilewise.packing import fill, first_fit_decreasing, in_order

BOTH = pytest.mark.parametrize("method", [first_fit_decreasing, in_order])


def draw(seed, most=60):
    """Random lengths and a size, ties and full bins among them."""
    rng = random.Random(seed)
    size = rng.choice([1, 2, 7, 10, 64])
    return [rng.randint(1, size) for _ in range(rng.randint(1, most))], size


def plain_ffd(lengths, size):
    """First fit decreasing by its definition, every bin looked at in turn."""
    bins = []
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        for bin_ in bins:
            if sum(lengths[j] for j in bin_) + lengths[i] <= size:
                bin_.append(i)
                break
        else:
            bins.append([i])
    return bins


def plain_in_order(lengths, size):
    """Next fit by its definition."""
    bins = [[]]
    for i, length in enumerate(lengths):
        if sum(lengths[j] for j in bins[-1]) + length > size:
            bins.append([])
        bins[-1].append(i)
    return bins


def fewest(lengths, size):
    """The fewest bins there can be, by trying every place for every document."""
    best = len(lengths)

    def place(i, room):
        nonlocal best
        if len(room) >= best:
            return
        if i == len(lengths):
            best = len(room)
            return
        for b in range(len(room)):
            if room[b] >= lengths[i]:
                place(i + 1, [*room[:b], room[b] - lengths[i], *room[b + 1 :]])
        place(i + 1, [*room, size - lengths[i]])

    place(0, [])
    return best


@pytest.mark.parametrize(
    "method, plain", [(first_fit_decreasing, plain_ffd), (in_order, plain_in_order)]
)
def test_bins_follow_the_rule(method, plain):
    for seed in range(300):
        lengths, size = draw(seed)
        assert method(lengths, size) == plain(lengths, size)


@BOTH
def test_each_document_is_in_one_bin_that_holds_it(method):
    for seed in range(100):
        lengths, size = draw(seed, most=400)
        bins = method(lengths, size)
        assert sorted(i for x in bins for i in x) == [*range(len(lengths))]
        assert all(0 < sum(lengths[i] for i in x) <= size for x in bins)
        assert fill(lengths, bins, size) == sum(lengths) / (size * len(bins))


def test_small_cases_stay_within_the_bound_of_the_fewest_bins():
    more = 0
    for seed in range(150):
        rng = random.Random(seed)
        lengths = [rng.randint(1, 12) for _ in range(rng.randint(1, 9))]
        size = rng.randint(12, 20)
        best, found = fewest(lengths, size), len(first_fit_decreasing(lengths, size))
        assert best <= found <= (11 * best + 6) / 9
        more += found > best
    assert len(first_fit_decreasing([6, 5, 5, 4, 4, 4, 2], 15)) == fewest(
        [6, 5, 5, 4, 4, 4, 2], 15
    )  # 15 and 15 of 30
    lengths = [5, 5, 4, 4, 3, 3, 3, 3]  # 5 5 3 + 4 4 3 + 3 3 against 5 4 3 3 twice
    assert len(first_fit_decreasing(lengths, 15)) == 3 and fewest(lengths, 15) == 2


def test_many_documents():
    """Ten for each that a quadratic search could place in the time of a test."""
    rng = random.Random(0)
    lengths = [min(8192, 1 + int(rng.lognormvariate(6, 1.2))) for _ in range(50_000)]
    bins = first_fit_decreasing(lengths, 8192)
    assert fill(lengths, bins, 8192) >= 0.999
    assert sum(map(len, bins)) == 50_000


@BOTH
def test_lengths_may_be_a_tensor_or_none(method):
    lengths, size = draw(3)
    assert method(torch.tensor(lengths), size) == method(lengths, size)
    assert method([], 8) == []


@BOTH
@pytest.mark.parametrize("lengths", [[3, 9], [3, 0], [3, -1]])
def test_a_length_that_cannot_be_is_named(method, lengths):
    message = f"document 1 must have 1 to 8 tokens: {lengths[1]}"
    with pytest.raises(ValueError, match=message):
        method(lengths, 8)


@BOTH
def test_other_input_that_cannot_be(method):
    for size in (0, -3, 2.0, True, None):
        with pytest.raises(ValueError, match="size must be a whole number"):
            method([1], size)
    with pytest.raises(TypeError):
        method([1.5], 8)


def test_fill_counts_no_document_twice_or_never():
    assert fill([3, 5, 4], [[1, 0], [2]], 8) == 0.75
    for bins in ([], [[0, 1]], [[0, 1], [1, 2]], [[0, 1, 2, 3]]):
        with pytest.raises(ValueError, match="each of 3 documents once"):
            fill([3, 5, 4], bins, 8)
