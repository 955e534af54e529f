"""The cache model: against a plain LRU, the ledger, PyTorch's kernels on an H200."""

import json
import random

import pytest
from repository import ROOT

from tilewise import ledger
from tilewise.ledger import cache
from tilewise.trace import ORDERS

RESULTS = ROOT / "benchmarks/results"
MEASURED = json.loads((RESULTS / "h200-2026-11-20-roofline.json").read_text("utf-8"))
L2 = MEASURED["machine"]["l2_bytes"]
SIZE = {"n": 24, "d": 4, "block_rows": 5, "block_cols": 7}


def plain_lru(stream, capacity):
    """The same cache as a list, the tile not used for longest in front."""
    held, reads, writes = [], 0, 0
    for tile, size, stores in stream:
        mine = [x for x in held if x[0] == tile]
        reads += size if not mine and not stores else 0
        stored = stores or any(x[2] for x in mine)
        held = [x for x in held if x[0] != tile] + [(tile, size, stored)]
        while sum(x[1] for x in held) > capacity:
            writes += held[0][1] * held[0][2]
            held = held[1:]
    return reads, writes + sum(x[1] * x[2] for x in held)


def test_lru_is_a_list_in_order_of_use():
    rng = random.Random(0)
    for _ in range(60):
        size = [rng.randint(1, 9) for _ in range(10)]
        tiles = [rng.randrange(10) for _ in range(150)]
        stream = [(x, size[x], rng.random() < 0.3) for x in tiles]
        capacity = rng.randint(1, 60)
        found = cache.lru(stream, capacity)
        assert (found["reads"], found["writes"]) == plain_lru(stream, capacity)
        assert found["asked"] == sum(x[1] for x in stream)


def test_a_long_stream_forgets_its_past():
    stream = [(x % 7, 1, x % 7 == 0) for x in range(300_000)]
    found = cache.lru(stream, 3)  # seven in turn, of which three fit: no use is a hit
    stored = sum(x[2] for x in stream)
    assert found == {
        "asked": 300_000,
        "reads": 300_000 - stored,
        "writes": stored,
        "left": 1,
    }


def bytes_asked(order):
    """The ledger's elements of one head in bytes: matrices 2 each, statistics 4."""
    n, d = SIZE["n"], SIZE["d"]
    if order == "kv-outer":
        count = ledger.flash1_forward(**SIZE)
        t_c = ledger.ceil_div(n, SIZE["block_cols"])
        elements = count["reads"] + count["writes"] - (n * d + 2 * n)  # line 2
        return 2 * elements + 2 * (2 * t_c * 2 * n)
    count = ledger.flash2_forward(**SIZE)
    return 2 * (count["reads"] + count["writes"]) + 2 * n  # L in 4 bytes


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", [1, 3, 100])
def test_from_no_cache_to_one_that_holds_all(order, side):
    n, d = SIZE["n"], SIZE["d"]
    how = {**SIZE, "order": order, "heads": 6, "side": side}
    none = cache.dram(**how, capacity=1)
    assert none["asked"] == 6 * bytes_asked(order) == none["reads"] + none["writes"]
    whole = cache.dram(**how, capacity=10**9)
    state = 2 * n * d + (8 if order == "kv-outer" else 4) * n  # O, and ℓ, m or L
    reads = 6 * n * d + (state if order == "kv-outer" else 0)  # before it is stored
    assert (whole["reads"], whole["writes"]) == (6 * reads, 6 * state)
    assert whole["left"] == whole["writes"] and none["left"] == 0


@pytest.mark.parametrize("order", ORDERS)
def test_a_larger_cache_never_moves_more(order):
    how = {**SIZE, "order": order, "heads": 4, "side": 2}
    moved = [cache.dram(**how, capacity=2**x) for x in range(5, 16)]
    moved = [x["reads"] + x["writes"] for x in moved]
    assert moved == sorted(moved, reverse=True) and moved[0] > moved[-1]


def name(row):
    return f"{row['batch']}x{row['heads']}, d = {row['d']}"


def rows(what):
    return [x for x in MEASURED["rows"] if x["what"] == what and x["n"] == 1024]


@pytest.mark.parametrize("row", rows("flash"), ids=name)
@pytest.mark.parametrize("per_sm", [1, 2])
def test_pytorchs_flash_kernel_within_5_percent(row, per_sm):
    """128 rows of Q a program (see the file's method); K and V of a head stay in L2."""
    heads, side = row["batch"] * row["heads"], per_sm * MEASURED["machine"]["sms"]
    how = {"block_rows": 128, "block_cols": 64, "order": "q-outer"}
    found = cache.dram(row["n"], row["d"], **how, heads=heads, side=side, capacity=L2)
    measured = row["dram_read"] + row["dram_write"]
    assert abs(found["reads"] + found["writes"] - measured) < 0.05 * measured
    assert found["asked"] > 4 * measured  # what it predicts is not what was asked for


@pytest.mark.parametrize("row", rows("standard"), ids=name)
def test_standard_attention_asks_dram_for_all_it_counts(row):
    """S is far larger than L2, so nothing of it is left for the next kernel."""
    n, d, heads = row["n"], row["d"], row["batch"] * row["heads"]
    count = ledger.standard_forward(n, d)
    scaling = 2 * n * n  # a kernel of its own reads S and writes τ S
    elements = heads * (count["reads"] + count["writes"] + scaling)
    assert ledger.in_bytes(elements, "bf16") == row["bytes_counted"]
    measured = row["dram_read"] + row["dram_write"]
    assert abs(row["bytes_counted"] - measured) < 0.05 * measured


def test_programs_of_unequal_length_take_turns_until_each_ends():
    one = [[("a", 1, False)], [("b", 2, False), ("c", 3, True)]]
    found = [(head, name) for (head, name), *_ in cache.march(one, 2, 3)]
    assert found == [(0, "a"), (0, "b"), (1, "a"), (0, "c"), (1, "b"), (1, "c")]


def test_the_bounds_are_a_whole_and_a_half_of_the_cache():
    """Found by trying: where the half holds less, more moves."""
    how = {**SIZE, "order": "kv-outer", "heads": 4, "side": 2}
    for capacity in range(300, 3000, 99):
        ways = [cache.dram(**how, capacity=x) for x in (capacity, capacity // 2)]
        moved = tuple(x["reads"] + x["writes"] for x in ways)
        assert cache.bounds(**how, capacity=capacity) == moved


def test_kv_outer_has_a_cliff_at_the_capacity():
    """What 132 heads touch fits an H200's L2, what 264 touch does not: all or nothing.

    A GPU passes gradually between the two, so the model cannot place such a kernel.
    """
    how = {"block_rows": 64, "block_cols": 256, "order": "kv-outer", "heads": 264}
    fits, does_not = (
        cache.dram(1024, 64, **how, side=side, capacity=L2) for side in (132, 264)
    )
    assert does_not["reads"] + does_not["writes"] == does_not["asked"]
    assert 2.5 < fits["asked"] / (fits["reads"] + fits["writes"]) < 3
    one = fits["reads"] + fits["writes"], does_not["asked"]
    assert cache.bounds(1024, 64, **how, side=132, capacity=L2) == one


def test_an_order_that_is_none_is_named():
    how = {**SIZE, "order": "q", "heads": 1, "side": 1, "capacity": 9}
    with pytest.raises(ValueError, match="order must be one of kv-outer, q-outer, not"):
        cache.dram(**how)
