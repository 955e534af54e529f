"""Zig-zag order, and which slices a rank computes, against the whole causal mask."""

import pytest
import torch

from tilewise.ring.zigzag import meets, positions, unzigzag, zigzag

WORLDS = (1, 2, 3, 4)


@pytest.mark.parametrize("world", WORLDS)
def test_shares_are_an_early_and_a_late_chunk_and_come_together_again(world):
    n = 2 * world * 3
    x = torch.arange(n * 2).view(1, n, 2)
    shares = [zigzag(x, rank, world) for rank in range(world)]
    for rank, share in enumerate(shares):
        late = 2 * world - 1 - rank
        rows = [*range(3 * rank, 3 * rank + 3), *range(3 * late, 3 * late + 3)]
        assert positions(n, rank, world).tolist() == rows
        assert share.equal(x[:, rows])
    assert unzigzag(shares).equal(x)
    tokens = x[..., 0]
    shares = [zigzag(tokens, rank, world, dim=1) for rank in range(world)]
    assert unzigzag(shares, dim=1).equal(tokens)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_slices_cover_the_causal_triangle_once(world, size):
    n = 2 * world * size
    seen, share = torch.zeros(n, n, dtype=torch.int), 2 * size
    for rank in range(world):
        for source in range(world):
            rows, keys, mask = meets(rank, source, share, share, True)
            at = positions(n, rank, world)[rows][:, None]
            to = positions(n, source, world)[keys]
            tile = torch.ones(at.shape[0], to.shape[0], dtype=torch.int)
            seen[at, to] += tile.tril() if mask else tile
    assert seen.equal(torch.ones(n, n, dtype=torch.int).tril())


def test_without_a_mask_everything_meets():
    for rank in range(3):
        for source in range(3):
            expected = slice(5), slice(7), False
            assert meets(rank, source, 5, 7, False) == expected


@pytest.mark.parametrize(
    "given, sentence",
    [
        ((6, 0, 2), "n must be a multiple of 2 · 2 ranks, not 6"),
        ((8, 2, 2), "rank must be one of 0 .. world − 1, not 2 of 2"),
        ((8, -1, 2), "not -1 of 2"),
        ((8, 0, 0), "not 0 of 0"),
        ((8, 0, 2.0), "not 0 of 2.0"),
    ],
)
def test_what_does_not_fit_is_named(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        positions(*given)
