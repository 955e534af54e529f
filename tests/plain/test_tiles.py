"""Counting visited tiles without a loop, against the loop; the sizes kernels choose."""

import random

import pytest

from tilewise.ledger import ceil_div, flash1_forward
from tilewise.ledger.tiles import HOPPER, KERNELS, floor_sum, kernel_tiles, visits


def by_tile(n, n_k, block_rows, block_cols, causal, window, blocks=None):
    """The same, tile by tile, score by score: does any row see any key?"""
    left, right = (999 if x is None else x for x in window or (None, None))
    shift = {False: n + n_k, True: n_k - n, "top-left": 0}[causal]
    rows = cols = scores = 0
    for r in range(0, n, block_rows):
        for c in range(0, n_k, block_cols):
            tall, wide = (
                range(r, min(r + block_rows, n)),
                range(c, min(c + block_cols, n_k)),
            )
            seen = [
                -left <= y - x - n_k + n <= right and y <= x + shift
                for x in tall
                for y in wide
            ]
            if any(seen) and (
                blocks is None or blocks[r // block_rows][c // block_cols]
            ):
                rows, cols = rows + len(tall), cols + len(wide)
                scores += len(seen)
    return rows, cols, scores


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


def windows_and_blocks(count):
    """Sizes, a mask of intervals, and a matrix of tiles or None."""
    rng = random.Random(2)
    for _ in range(count):
        n, n_k, *blocks = (rng.randint(1, rng.choice([2, 9, 15])) for _ in range(4))
        window = tuple(rng.choice([None, 0, 1, 4, 12]) for _ in range(2))
        causal, t_r = rng.choice([False, True]), ceil_div(n, blocks[0])
        listed = [
            [rng.random() < 0.5 for _ in range(ceil_div(n_k, blocks[1]))]
            for _ in range(t_r)
        ]
        yield (n, n_k, *blocks), causal, window, rng.choice([None, None, listed])


def test_visits_of_windows_and_listed_tiles_are_those_of_each_tile():
    for sizes, *mask in windows_and_blocks(3000):
        assert visits(*sizes, *mask) == by_tile(*sizes, *mask), (sizes, mask)


def test_a_long_window_is_counted_without_a_loop():
    n, left = 2**29, 2**12
    ramp = left * (left + 1) // 2  # the first rows see fewer keys
    assert visits(n, n, 1, 1, True, (left, 0))[2] == n * (left + 1) - ramp


def test_block_sparse_traffic_is_a_fixed_part_and_the_share_of_the_dense_one():
    """Proposition 4 of arXiv 2205.14135, exactly: fixed + s · dense."""
    rng, n, d, tile = random.Random(5), 96, 4, 8
    fixed = 2 * n * d + n * (d + 2)  # K, V; the first O, l and m
    bills = []
    for share in (1, 0.5, 0.1, 0):
        listed = [[rng.random() < share for _ in range(12)] for _ in range(12)]
        bill = flash1_forward(n, d, tile, tile, block_mask=listed)
        bills.append((sum(map(sum, listed)), bill["reads"] + bill["writes"] - fixed))
    (all_tiles, dense), *others = bills
    assert all_tiles == 144 and dense > 0
    assert all(rest * all_tiles == dense * count for count, rest in others)


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(ValueError, match="block_mask must be 2 lists of 3 bools"):
        visits(4, 6, 2, 2, False, None, [[True] * 2] * 2)


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
