"""The ledger, against a walk over the tiles that counts every load and store."""

import random

import pytest

from tilewise import ledger
from tilewise.trace import forward

from .._oracle import random_matrix


def walk(n, d, block_rows, block_cols, order):
    """Count by watching the trace: tile by tile, the shape of all that moves."""
    q = k = v = random_matrix(random.Random(0), n, d)
    count = {"reads": 0, "writes": 0, "flops": 0, "sram": 0}
    for state in forward(q, k, v, block_rows, block_cols, order=order):
        rows, cols = (end - first for first, end in (state["rows"], state["cols"]))
        size = {"q": rows * d, "k": cols * d, "v": cols * d, "o": rows * d}
        size |= {"l": rows, "m": rows}
        scores = len(state["s"]) * len(state["s"][0])
        count["reads"] += sum(size[name] for name in state["load"])
        count["writes"] += sum(size[name] for name in state["store"])
        count["flops"] += 2 * scores * d + 2 * scores * d  # Q_i K_jᵀ, P̃_ij V_j
        count["sram"] = max(count["sram"], sum(size.values()) + scores)
    return count


def sizes(count=120):
    rng = random.Random(1)
    for _ in range(count):
        n, d = rng.randint(1, 25), rng.randint(1, 6)
        yield n, d, rng.randint(1, n + 3), rng.randint(1, n + 3)


def test_flash1_is_the_walk_and_the_first_writes_of_line_2():
    for n, d, block_rows, block_cols in sizes():
        count = walk(n, d, block_rows, block_cols, "kv-outer")
        count["writes"] += n * d + n + n  # O, ℓ, m
        assert ledger.flash1_forward(n, d, block_rows, block_cols) == count


def test_flash2_is_the_walk_with_one_number_a_row():
    for n, d, block_rows, block_cols in sizes():
        count = walk(n, d, block_rows, block_cols, "q-outer")
        count["writes"] -= n  # L = m + log ℓ in the place of m and ℓ
        assert ledger.flash2_forward(n, d, block_rows, block_cols) == count


def test_standard_is_algorithm_0_line_by_line():
    for n, d, *_ in sizes(20):
        q = k = v = o = n * d
        s = p = n * n
        assert ledger.standard_forward(n, d) == {
            "reads": (q + k) + s + (p + v),
            "writes": s + p + o,
            "flops": sum(2 * d for _ in range(2 * n * n)),
            "sram": k + d + 1,
        }


def test_the_running_example_counted_by_hand():
    assert ledger.standard_forward(4, 2) == {
        "reads": 8 + 8 + 16 + 16 + 8,
        "writes": 16 + 16 + 8,
        "flops": 128,
        "sram": 11,
    }
    assert ledger.flash1_forward(4, 2, 2, 2) == {
        "reads": 2 * (4 + 4) + 4 * (4 + 4 + 2 + 2),
        "writes": 16 + 4 * (4 + 2 + 2),
        "flops": 128,
        "sram": 4 * 4 + 4 + 2 + 2,
    }
    assert ledger.flash2_forward(4, 2, 2, 2) == {
        "reads": 8 + 4 * (4 + 4),
        "writes": 8 + 4,
        "flops": 128,
        "sram": 24,
    }


def test_traffic_depends_on_the_outer_block_alone():
    for count, blocks in (
        (ledger.flash1_forward, [(1, 7), (13, 7), (999, 7)]),
        (ledger.flash2_forward, [(7, 1), (7, 13), (7, 999)]),
    ):
        traffic = {
            (c["reads"], c["writes"]) for c in (count(50, 8, *b) for b in blocks)
        }
        assert len(traffic) == 1


def test_flash1_moves_less_only_where_the_chip_is_large_enough():
    """12N²d²/M against 4N²: the sides change near M = 3d² elements."""
    n, d = 4096, 128
    total = {}
    for sram in (25_600, 2 * 3 * d * d):
        count = ledger.flash1_forward(n, d, *ledger.block_sizes(sram, d))
        total[sram] = count["reads"] + count["writes"]
    standard = ledger.standard_forward(n, d)
    standard = standard["reads"] + standard["writes"]
    assert total[25_600] > standard > total[2 * 3 * d * d]
    assert (total[25_600] // 10**6, standard // 10**6) == (131, 69)


def test_block_sizes_are_line_1():
    """B_c is the least whole number with 4 d B_c ≥ M, and B_r at most d."""
    rng = random.Random(5)
    sizes = [(rng.randint(1, 10**7), rng.randint(1, 4096)) for _ in range(300)]
    for sram, d in [*sizes, (16, 2), (1, 8), (65_536, 64), (65_537, 64)]:
        rows, cols = ledger.block_sizes(sram, d)
        assert 4 * d * (cols - 1) < sram <= 4 * d * cols and rows == min(cols, d)


PASSES = [
    f"{who}_{way}"
    for who in ("standard", "flash1", "flash2")
    for way in ("forward", "backward")
]


@pytest.mark.parametrize("name", PASSES)
def test_other_keys_and_masks(name):
    count = getattr(ledger, name)
    blocks = () if "standard" in name else (2, 3)
    assert count(6, 2, *blocks) == count(6, 2, *blocks, n_k=6, causal=False)
    with pytest.raises(ValueError, match="causal must be .*, not 'left'"):
        count(6, 2, *blocks, causal="left")


@pytest.mark.parametrize("name", ["flash1_forward", "flash2_forward"])
def test_a_tile_is_no_larger_than_the_matrices(name):
    """Q_i, O_i 2 × 5, K_j, V_j 3 × 5, S 2 × 3, two numbers a row."""
    found = getattr(ledger, name)(2, 5, 64, 32, n_k=3)["sram"]
    assert found == 2 * 10 + 2 * 15 + 6 + 4
    assert getattr(ledger, name)(3, 5, 64, 32, n_k=2)["sram"] == 30 + 20 + 6 + 6


def test_one_query_for_many_keys():
    """Decoding: K and V once, whatever the blocks; S and P are small."""
    n_k, d = 1000, 64
    least = 2 * d + 2 * n_k * d
    one = ledger.flash2_forward(1, d, 128, 128, n_k=n_k, causal=True)
    assert one["reads"] + one["writes"] == least + 1
    plain = ledger.standard_forward(1, d, n_k=n_k)
    assert plain["reads"] + plain["writes"] == least + 4 * n_k
    assert ledger.saved(1, d, n_k=n_k)["flash2"] == least + 1


def test_a_mask_that_shows_nothing_moves_the_results_alone():
    count = ledger.flash2_forward(9, 2, 3, 3, n_k=3, causal=True)  # rows 0 .. 5: none
    assert count["flops"] == 4 * 9 * 2 and count["reads"] == 9 * 2 + 3 * 2 * 2
