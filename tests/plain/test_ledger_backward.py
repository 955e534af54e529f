"""The ledger of the backward pass and of causal skipping, against walks over tiles."""

import random

import pytest

from tilewise import ledger
from tilewise.trace import backward, forward

from .._oracle import random_matrix


def walk(states, d, count):
    """Watch a trace: the shape of all that moves, and 2d FLOPs a product and score."""
    total = {"reads": 0, "writes": 0, "flops": 0, "rows": 0}
    for state in states:
        rows, cols = (end - first for first, end in (state["rows"], state["cols"]))
        size = dict.fromkeys(("q", "o", "do", "dq"), rows * d) | {"l": rows, "m": rows}
        size |= dict.fromkeys(("k", "v", "dk", "dv"), cols * d)
        total["reads"] += sum(size[name] for name in state["load"])
        total["writes"] += sum(size[name] for name in state["store"])
        total["flops"] += 2 * rows * cols * d * count
        total["rows"] += rows
    return total


def sizes(count=70):
    rng = random.Random(2)
    for _ in range(count):
        n, d = rng.randint(1, 14), rng.randint(1, 4)
        yield n, d, rng.randint(1, n + 3), rng.randint(1, n + 3)


def states(n, d, *blocks, **options):
    """The backward trace of some N × d matrices (its traffic knows no numbers)."""
    q, k, v, do = (random_matrix(random.Random(0), n, d) for _ in range(4))
    return backward(q, k, v, q, do, [0] * n, [1] * n, *blocks, **options)


def without(count):
    return {x: count[x] for x in ("reads", "writes", "flops")}


@pytest.mark.parametrize("causal", [False, True])
def test_flash1_backward_is_the_walk_and_the_zeros_of_line_5(causal):
    for n, d, *blocks in sizes():
        expected = walk(states(n, d, *blocks, causal=causal), d, 5)
        expected["writes"] += 3 * n * d  # dQ, dK, dV
        found = ledger.flash1_backward(n, d, *blocks, causal=causal)
        assert without(found) == without(expected)


@pytest.mark.parametrize("causal", [False, True])
def test_flash2_backward_reads_o_once_and_saves_it_in_the_loop(causal):
    for n, d, *blocks in sizes():
        expected = walk(states(n, d, *blocks, causal=causal), d, 5)
        expected["reads"] += 2 * n * d - expected["rows"] * d  # O only for δ, with dO
        expected["writes"] += n * d + n  # dQ = 0, δ
        found = ledger.flash2_backward(n, d, *blocks, causal=causal)
        assert without(found) == without(expected)


def test_causal_forward_is_the_walk_over_visited_tiles():
    for n, d, *blocks in sizes():
        q = k = v = random_matrix(random.Random(0), n, d)
        for order, count, first in (
            ("kv-outer", ledger.flash1_forward, n * d + 2 * n),  # line 2
            ("q-outer", ledger.flash2_forward, -n),  # L for m and ℓ
        ):
            made = forward(q, k, v, *blocks, order=order, causal=True)
            expected = walk(made, d, 2)
            expected["writes"] += first
            assert without(count(n, d, *blocks, causal=True)) == without(expected)


def test_standard_backward_is_algorithm_3_line_by_line():
    for n, d, *_ in sizes(20):
        q = k = v = do = dq = dk = dv = n * d
        p = dp = ds = n * n
        assert ledger.standard_backward(n, d) == {
            "reads": (p + do) + (do + v) + (p + dp) + (ds + k) + (ds + q),
            "writes": dv + dp + ds + dq + dk,
            "flops": sum(2 * d for _ in range(4 * n * n)),
            "sram": max(v + d + 1, 2 * n + 1),
        }


def test_the_running_example_counted_by_hand():
    """The command line shows 96 elements loaded and 32 stored in the loop."""
    assert ledger.flash1_backward(4, 2, 2, 2) == {
        "reads": 96,
        "writes": 24 + 32,
        "flops": 320,
        "sram": 16 + 4 + 16 + 8,
    }
    assert ledger.flash2_backward(4, 2, 2, 2) == {
        "reads": 16 + 96 - 16,
        "writes": 12 + 32,
        "flops": 320,
        "sram": 12 + 4 + 16 + 8,
    }
    assert ledger.saved(4, 2) == {"standard": 40, "flash1": 40, "flash2": 36}


def test_causal_skipping_halves_the_work_of_many_tiles():
    full = ledger.flash1_backward(4096, 64, 64, 64)
    half = ledger.flash1_backward(4096, 64, 64, 64, causal=True)
    assert half["flops"] / full["flops"] == (64 + 1) / (2 * 64)
    assert half["sram"] == full["sram"]


def test_bytes():
    assert ledger.in_bytes(10, "bf16") == 20 and ledger.in_bytes(3, "fp32") == 12
    assert ledger.in_bytes(3, "fp64") == 24 and ledger.in_bytes(5, "fp16") == 10
    with pytest.raises(ValueError, match="one of bf16, fp16, fp32, fp64, not 'int8'"):
        ledger.in_bytes(3, "int8")
