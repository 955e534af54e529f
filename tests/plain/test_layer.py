"""A layer's bill: by hand on the running example, and by its own parts."""

import math
import random

import pytest

from tilewise import ledger
from tilewise.hardware import GPUS, attainable, ridge
from tilewise.ledger import costs, layer

EXAMPLE = {"sram": 24, "bandwidth": 100, "peak": 50, "memory": 2 * 400}


def example(way, **how):
    """N = 4, d = 2, 2 × 2 tiles, 2-byte numbers, on a card of 400 elements."""
    blocks = {"block_rows": 2, "block_cols": 2}
    return layer.account(4, 2, EXAMPLE, way=way, **blocks, **how)["algorithms"]


def test_the_running_example_by_hand():
    found = example("forward")
    assert [x["bytes"] for x in found.values()] == [2 * 96, 2 * 112, 2 * 52]
    assert [x["flops"] for x in found.values()] == [128] * 3
    assert [x["memory_seconds"] for x in found.values()] == [1.92, 2.24, 1.04]
    assert [x["compute_seconds"] for x in found.values()] == [2.56] * 3
    assert {x["bound"] for x in found.values()} == {"compute"}
    # Q, K, V, O are 32 elements: and S, P; or ℓ, m; or L
    assert [x["held_bytes"] for x in found.values()] == [2 * 64, 2 * 40, 2 * 36]
    assert [x["once"]["bytes"] for x in found.values()] == [2 * 96, 2 * 40, 2 * 36]
    assert [x["saved_bytes"] for x in found.values()] == [2 * 40, 2 * 40, 2 * 36]
    # 8N + 2N² ≤ 400; 8N + 2N ≤ 400; 8N + N ≤ 400
    assert [x["longest"] for x in found.values()] == [12, 40, 44]
    assert [x["fits"] for x in found.values()] == [True, True, True]


def test_the_backward_pass_by_hand():
    found = example("backward")
    # Q, dO, dQ, K, V, dK, dV and P, dP, dS; with O, and ℓ, m or L, δ
    assert [x["held_bytes"] for x in found.values()] == [2 * 104, 2 * 72, 2 * 72]
    # 14N + 3N² ≤ 400; 16N + 2N ≤ 400
    assert [x["longest"] for x in found.values()] == [9, 22, 22]
    # P, dP and dS cross 7 times; Q, O, dO, dQ, K, V, dK, dV and two numbers a row
    least = [2 * (7 * 16 + 64), 2 * (64 + 8), 2 * (64 + 8)]
    assert [x["once"]["bytes"] for x in found.values()] == least
    assert example("training")["standard"]["held_bytes"] == 2 * 104


def test_standard_attention_repeats_no_read():
    """Each product reads its matrices once already, so a cache cannot help it."""
    rng = random.Random(2)
    for way in layer.PASSES:
        n, d, n_k = (rng.randint(1, 300) for _ in range(3))
        found = layer.account(n, d, EXAMPLE, n_k=n_k, way=way)["algorithms"]
        assert found["standard"]["once"]["bytes"] == found["standard"]["bytes"]
        for x in found.values():
            assert x["once"]["bytes"] <= x["bytes"]


def test_grouped_heads_are_read_by_each_head_and_kept_once():
    full, grouped = (
        layer.account(4, 2, EXAMPLE, heads=6, kv_heads=kv)["algorithms"]
        for kv in (None, 2)
    )
    for name, x in grouped.items():
        assert x["bytes"] == full[name]["bytes"]
        fewer = 4 * 2 * 4 * 2 * 2  # 4 heads less of K and V, 4 × 2 numbers of 2 bytes
        assert full[name]["saved_bytes"] - x["saved_bytes"] == fewer
        assert full[name]["held_bytes"] - x["held_bytes"] == fewer


@pytest.mark.parametrize("way", layer.PASSES)
@pytest.mark.parametrize("name", layer.ALGORITHMS)
def test_the_longest_n_fits_and_the_next_does_not(name, way):
    rng = random.Random(3)
    for _ in range(50):
        d, heads, room = rng.randint(1, 300), rng.randint(1, 99), rng.randint(1, 10**12)
        n = costs.longest(name, way, d, heads, heads, room)
        held = [costs.resident(name, way, x, d, x, heads, heads) for x in (n, n + 1)]
        assert held[1] > room and (held[0] <= room or n == 0)


@pytest.mark.parametrize("gpu", GPUS)
def test_the_roofline_is_that_of_hardware(gpu):
    found = layer.account(2048, 128, layer.card(gpu, "bf16"), heads=4)["algorithms"]
    for x in [*found.values(), *[x["once"] for x in found.values()]]:
        roof = attainable(gpu, x["intensity"])
        assert math.isclose(x["rate"], roof, rel_tol=1e-12)
        assert (x["bound"] == "memory") == (x["intensity"] <= ridge(gpu))


@pytest.mark.parametrize("way", layer.PASSES)
def test_the_break_even_is_near_the_leading_terms(way):
    for d in (64, 128, 256):
        found = layer.account(16_384, d, layer.card("H100", "bf16"), way=way)
        assert abs(found["break_even"]["sram"] / found["even"] - 1) < 2 / d + 0.02
    assert layer.account(64, 64, EXAMPLE, causal=True)["break_even"] is None


def moved(name, way, n, d, n_k, block_cols):
    """Elements that one head moves, from the ledger's own dicts."""
    blocks = () if name == "standard" else (1, block_cols)
    counts = [
        getattr(ledger, f"{name}_{x}")(n, d, *blocks, n_k=n_k)
        for x in costs.PASSES[way]
    ]
    return sum(x["reads"] + x["writes"] for x in counts)


@pytest.mark.parametrize("way", layer.PASSES)
def test_the_break_even_is_the_first_of_all_that_moves_less(way):
    rng, none = random.Random(4), 0
    for _ in range(150):
        n, d, n_k = rng.randint(1, 40), rng.randint(1, 6), rng.randint(1, 40)
        standard = moved("standard", way, n, d, n_k, 0)
        bills = {x: moved("flash1", way, n, d, n_k, x) for x in range(1, n_k + 1)}
        less = [x for x in bills if bills[x] < standard]
        found = layer.break_even(way, n, d, n_k)
        none += found is None
        assert (found and found["block_cols"]) == (less[0] if less else None)
        if found:
            m = found["sram"]
            assert ledger.block_sizes(m, d)[1] == less[0]
            assert m == 1 or ledger.block_sizes(m - 1, d)[1] == less[0] - 1
    assert 0 < none < 150


def test_an_account_says_what_it_was_asked():
    how = {"n_k": 7, "batch": 3, "heads": 4, "kv_heads": 2, "causal": True}
    blocks = {"block_rows": 4, "block_cols": 3}
    found = layer.account(10, 2, EXAMPLE, dtype="fp32", way="training", **how, **blocks)
    said = {"n": 10, "d": 2, "pass": "training", "dtype": "fp32"} | how | EXAMPLE
    assert said.items() <= found.items() and found["bytes_per_element"] == 4
    each = {"rows": 4, "cols": 3, "t_r": 3, "t_c": 3}
    assert found["tiles"] == [{"pass": x} | each for x in ("forward", "backward")]
    assert found["leading"] == 32 / 11 and found["even"] == 4 * 32 / 11
    for name, x in found["algorithms"].items():
        tile = () if name == "standard" else (4, 3)
        counters = [getattr(ledger, f"{name}_{way}") for way in ("forward", "backward")]
        one = [counter(10, 2, *tile, n_k=7, causal=True) for counter in counters]
        for key in ("reads", "writes", "flops"):
            assert x[key] == 12 * sum(y[key] for y in one)
        assert x["sram"] == max(y["sram"] for y in one)
        saved = 12 * ledger.saved(10, 2, n_k=7)[name] - 6 * 2 * 7 * 2  # K, V in two
        assert x["saved_bytes"] == 4 * x["saved"] == 4 * saved
        assert x["bytes"] == 4 * (x["reads"] + x["writes"])


def test_a_side_of_the_tiles_that_is_not_given_follows_the_rule():
    card = layer.card("H100", "bf16")
    whole = layer.account(999, 64, card)["tiles"][0]
    rows = layer.account(999, 64, card, block_rows=5)["tiles"][0]
    cols = layer.account(999, 64, card, block_cols=5)["tiles"][0]
    assert (rows["rows"], rows["cols"]) == (5, whole["cols"])
    assert (cols["rows"], cols["cols"]) == (whole["rows"], 5)
    for causal, tile in ((False, (192, 192)), (True, (192, 128))):
        kernels = layer.account(999, 64, card, rule="kernels", causal=causal)
        assert (kernels["tiles"][0]["rows"], kernels["tiles"][0]["cols"]) == tile
    assert layer.tiles("kernels", "forward", 64, card["sram"], 2) == (192, 192)


def test_what_cannot_be():
    for how, message in (
        ({"heads": 6, "kv_heads": 4}, "kv_heads must divide heads, 6; 4 does not"),
        ({"dtype": "int8"}, "dtype must be one of"),
        ({"rule": "kernels"}, "d must be at most 256"),
    ):
        with pytest.raises(ValueError, match=message):
            layer.account(4, 512, EXAMPLE, **how)
    with pytest.raises(ValueError, match="gpu must be one of"):
        layer.card("V100", "bf16")


def test_what_a_card_does_not_say_is_not_known():
    for missing in ("bandwidth", "peak"):
        found = layer.account(4, 2, EXAMPLE | {missing: None})["algorithms"]
        for x in found.values():
            assert x["seconds"] is None and x["once"]["seconds"] is None
            assert x["intensity"] == x["flops"] / x["bytes"] and "bound" not in x
    found = layer.account(4, 2, EXAMPLE | {"memory": None})["algorithms"]
    assert {x["longest"] for x in found.values()} == {None}


def test_a_card_has_the_room_of_a_thread_block():
    assert layer.card("A100", "bf16")["sram"] == 163 * 1024 // 2
    assert layer.card("H100", "fp32")["peak"] == 67e12
    assert layer.card("H100", "fp64")["peak"] is None
    assert ledger.block_sizes(layer.card("H200", "bf16")["sram"], 64) == (64, 454)
