"""Counting visited tiles without a loop, against the loop; the sizes kernels choose."""

import random

import pytest

from tilewise.ledger import ceil_div
from tilewise.ledger.tiles import HOPPER, KERNELS, floor_sum, kernel_tiles, visits


def loop(n, n_k, block_rows, block_cols, causal):
    """The same, block by block: which tiles does a block of rows visit?"""
    shift = {False: n + n_k, True: n_k - n, "top-left": 0}[causal]
    rows = cols = scores = 0
    for first in range(0, n, block_rows):
        end = min(first + block_rows, n)
        tiles = ceil_div(max(0, min(end + shift, n_k)), block_cols)
        seen = min(tiles * block_cols, n_k)
        rows += (end - first) * tiles
        cols += seen
        scores += (end - first) * seen
    return rows, cols, scores


def test_the_sum_of_floors():
    rng = random.Random(0)
    for _ in range(3000):
        count, a, b = (rng.randint(0, rng.choice([3, 40])) for _ in range(3))
        m = rng.randint(1, 30)
        assert floor_sum(count, a, b, m) == sum((a * i + b) // m for i in range(count))


def test_the_sum_stays_whole_where_floats_would_round():
    for a, b, m in (
        (10**17 + 1, 7, 3),
        (3, 10**18 + 1, 2),
        (10**19 + 7, 10**18, 10**9),
    ):
        right = sum((a * i + b) // m for i in range(101))
        assert floor_sum(101, a, b, m) == right


@pytest.mark.parametrize("causal", [False, True, "top-left"])
def test_visits_are_the_loop(causal):
    rng = random.Random(1)
    for _ in range(10_000):
        sizes = [rng.randint(1, rng.choice([2, 9, 60])) for _ in range(4)]
        assert visits(*sizes, causal) == loop(*sizes, causal), sizes


def test_more_rows_than_a_loop_could_count():
    """One row and one column a tile: row r sees r + 1 keys."""
    n = 2**29
    seen = n * (n + 1) // 2
    assert visits(n, n, 1, 1, True) == visits(n, n, 1, 1, "top-left") == (seen,) * 3
    assert visits(n, 1, 1, 1, True) == (1, 1, 1)


@pytest.mark.parametrize(
    "d, way, causal, room, tile",
    [
        (64, "forward", False, HOPPER, (192, 192)),
        (64, "forward", True, HOPPER, (192, 128)),
        (65, "forward", False, HOPPER, (192, 144)),
        (128, "forward", False, HOPPER, (128, 176)),
        (128, "backward", True, HOPPER, (64, 128)),
        (256, "forward", True, HOPPER, (128, 80)),
        (64, "forward", True, 163 * 1024, (128, 128)),
        (128, "forward", False, 163 * 1024, (128, 64)),
        (256, "backward", False, 163 * 1024, (64, 64)),
    ],
)
def test_tiles_of_kernels_are_those_of_the_tiling_page(d, way, causal, room, tile):
    assert kernel_tiles(d, way, causal=causal, room=room) == tile


def test_no_kernel_above_256():
    assert {x[way][-1][0] for x in KERNELS.values() for way in x} == {256}
    with pytest.raises(ValueError, match="d must be at most 256 .* not 257"):
        kernel_tiles(257, "forward")
