"""Dropout: Philox by its authors' vectors, one mask whatever the tiles, statistics."""

import math

import pytest
import torch

from tilewise.dropout import keep_factors, philox

VECTORS = [  # Random123, tests/kat_vectors, philox4x32 with 10 rounds
    (
        "00000000 00000000 00000000 00000000",
        "00000000 00000000",
        "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    ),
    (
        "ffffffff ffffffff ffffffff ffffffff",
        "ffffffff ffffffff",
        "408f276d 41c83b0e a20bc7c6 6d5451fd",
    ),
    (
        "243f6a88 85a308d3 13198a2e 03707344",
        "a4093822 299f31d0",
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


def words(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize("counter, key, expected", VECTORS)
def test_philox_gives_what_its_authors_give(counter, key, expected):
    tensors = [torch.tensor(word) for word in words(counter)]
    assert [x.item() for x in philox(tensors, words(key))] == words(expected)
    assert list(philox(words(counter), words(key))) == words(expected)


def whole(p, seed, n_q, n_k, *lead):
    return keep_factors(p, seed, *lead)(torch.arange(n_q)[:, None], torch.arange(n_k))


def test_any_tile_of_any_size_is_a_window_on_the_whole():
    rows, cols = torch.arange(23)[:, None], torch.arange(31)
    draw = keep_factors(0.3, 7, 2, 3)
    everything = draw(rows, cols)
    assert everything.shape == (2, 3, 23, 31)
    for size_r, size_c in ((1, 1), (4, 7), (23, 5)):
        for r in reversed(range(0, 23, size_r)):
            for c in range(0, 31, size_c):
                tile = draw(rows[r : r + size_r], cols[c : c + size_c])
                at = (..., slice(r, r + size_r), slice(c, c + size_c))
                assert torch.equal(tile, everything[at])


def test_leading_dimensions_are_places_too():
    full = whole(0.5, 3, 40, 40, 2, 3)
    assert torch.equal(whole(0.5, 3, 40, 40), full[0, 0])
    assert torch.equal(whole(0.5, 3, 40, 40, 3), full[0])
    assert torch.equal(whole(0.5, 3, 40, 40, 1, 2), full[:1, :2])


def test_a_word_below_p_of_all_is_dropped_and_the_next_is_not(monkeypatch):
    """p 2³² words are dropped: 0 .. p 2³² − 1."""
    words = torch.tensor([[0, 2**30 - 1, 2**30, 2**32 - 1]])
    monkeypatch.setattr("tilewise.dropout.philox", lambda *_: (words, 0, 0, 0))
    found = keep_factors(0.25, 0)(torch.zeros(1, 1), torch.arange(4))
    assert found.tolist() == [[0, 0, 4 / 3, 4 / 3]]


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9])
def test_the_share_dropped_is_p_and_the_mean_is_one(p):
    z = whole(p, 11, 500, 2000)
    assert set(z.unique().tolist()) == ({0.0, 1 / (1 - p)} if p else {1.0})
    spread = math.sqrt(p * (1 - p) / z.numel())
    assert abs((z == 0).double().mean() - p) <= 5 * spread  # five standard deviations
    assert abs(z.mean() - 1) <= 5 * spread / (1 - p)


def correlation(x, y):
    """Of two sets of fair bits; its standard deviation is 1/√n for independent ones."""
    x, y = (2.0 * (z > 0).flatten() - 1 for z in (x, y))
    return (x * y).mean().item() * math.sqrt(x.numel())


def test_rows_columns_heads_batches_and_seeds_are_independent():
    z = whole(0.5, 5, 512, 512, 2, 2)
    square = z[0, 0]
    pairs = {f"{n} rows on": (square[n:], square[:-n]) for n in (1, 2, 64, 128)}
    pairs |= {f"{n} columns": (square[:, n:], square[:, :-n]) for n in (1, 2, 64, 128)}
    upper = torch.ones(512, 512, dtype=torch.bool).triu(1)
    pairs["transposed"] = (square[upper], square.mT[upper])
    pairs |= {"heads": (z[0, 0], z[0, 1]), "batches": (z[0, 0], z[1, 0])}
    pairs |= {"head and batch": (z[0, 1], z[1, 0])}
    for seed in (4, 6, 5 + 2**32, 5 << 32):
        pairs[f"seed {seed}"] = (square, whole(0.5, seed, 512, 512))
    found = {name: correlation(*pair) for name, pair in pairs.items()}
    assert all(abs(x) < 5 for x in found.values()), found
    for dim in (0, 1):  # row and column sums are binomial: variance n/4
        counts = (square > 0).double().sum(dim)
        assert 0.75 < counts.var().item() / 128 < 1.25


def test_the_same_seed_gives_the_same_mask_and_torch_is_left_alone():
    torch.manual_seed(0)
    first = whole(0.5, 2**64 - 1, 30, 30)
    state = torch.get_rng_state()
    torch.manual_seed(1)
    assert torch.equal(first, whole(0.5, 2**64 - 1, 30, 30))
    torch.manual_seed(0)
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("p", [-0.1, 1, 1.0, 2, math.nan])
def test_p_outside_0_to_1_is_named(p):
    with pytest.raises(ValueError, match=f"p must be .* below 1, not {p}"):
        keep_factors(p, 0)


def test_other_bad_input_is_named():
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match=f"seed must be .* not {seed}"):
            keep_factors(0.5, seed)
    with pytest.raises(ValueError, match=r"lead must be .* not \(1, 2, 3\)"):
        keep_factors(0.5, 0, 1, 2, 3)
