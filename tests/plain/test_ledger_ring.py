"""What a ring sends and computes: against simulations, the pages, and known results."""

import itertools
from fractions import Fraction

import pytest
from repository import ROOT

from tilewise import ledger
from tilewise.hardware import GPUS, SOURCES
from tilewise.ledger.ring import (
    LINKS,
    at_once,
    flops,
    least_share,
    needed,
    ring_bytes,
    scores,
    step_bytes,
    ulysses_bytes,
    working_set,
)


@pytest.mark.parametrize("world", [1, 2, 3, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_scores_and_flops_of_all_ranks_are_those_of_one(world, causal):
    n, heads, d = 12 * world, 3, 5
    steps = range(world)
    total = world * sum(scores(n, world, t, causal) for t in steps)
    assert total == (n * (n + 1) // 2 if causal else n * n)
    for backward in (False, True):
        way = {"causal": causal, "backward": backward}
        pass_ = ledger.flash2_backward if backward else ledger.flash2_forward
        one = pass_(n, d, 1, 1, causal=causal)["flops"]
        found = sum(flops(n, world, t, heads, d, **way) for t in steps)
        assert world * found == heads * one


def test_bytes_by_walking_round():
    """Each rank's buffers, moved message by message."""
    for world, size in itertools.product((2, 3, 5), (2, 4, 8)):
        n, kv_heads, d = 4 * world, 3, 7
        one = 2 * 4 * kv_heads * d
        keys, sums = list(range(world)), list(range(world))
        sent = {"forward": 0, "backward": 0}
        for way in sent:
            for step in range(world):
                if step + 1 < world:
                    keys = keys[-1:] + keys[:-1]
                    sent[way] += one * size
                if way == "backward":
                    sums = sums[-1:] + sums[:-1]
                    sent[way] += one * max(size, 4)
            assert sums == list(range(world))  # home
            keys = list(range(world))
        assert ring_bytes(n, world, kv_heads, d, size) == sent
        assert step_bytes(n, world, kv_heads, d, size) == one * size
        both = step_bytes(n, world, kv_heads, d, size, backward=True)
        assert both == one * (size + max(size, 4))
    assert ring_bytes(8, 1, 2, 4) == {"forward": 0, "backward": 0}


@pytest.mark.parametrize("world", [1, 2, 3])
def test_ulysses_by_moving_every_number(world):
    n, heads, kv_heads, d, size = 12, 12, 6, 3, 2
    sent = 0
    for count in (heads, kv_heads, kv_heads, heads):  # q, k, v there, o back
        for head in range(count):
            sent += (n // world) * d * (head // (count // world) != 0)  # rank 0's
    found = ulysses_bytes(n, world, heads, kv_heads, d, size)
    assert found == {"forward": sent * size, "backward": sent * size}
    with pytest.raises(ValueError, match="world must divide kv_heads: 4, 2"):
        ulysses_bytes(8, 4, 4, 2, 3)


def test_the_least_share_is_where_both_times_are_equal():
    peak, link, d = Fraction(10**15), Fraction(10**11), 64
    for heads, kv_heads in ((16, 16), (16, 2)):
        for size, causal, backward in itertools.product((2, 4), (0, 1), (0, 1)):
            way = {"causal": bool(causal), "backward": bool(backward)}
            n = least_share(peak, link, heads, kv_heads, size, **way)
            work = (10 if backward else 4) * n * n * heads * d / (2 if causal else 1)
            carried = size + max(size, 4) if backward else size
            assert work / peak == 2 * n * kv_heads * d * carried / link
            assert needed(1000, peak, heads, kv_heads, size, **way) == n * link / 1000


def test_the_paper_has_the_ratio_of_both_rates():
    assert least_share(989.5e12, 450e9, 16, 16) == pytest.approx(989.5e12 / 450e9)


def test_links_are_those_of_the_vendor():
    both = GPUS["H200"]["levels"]["nvlink"]["bandwidth"]
    assert LINKS["NVLink"] == (both["value"] / 2, SOURCES[both["source"]][2])
    assert LINKS["InfiniBand"][0] == 400e9 / 8
    page = ROOT / "docs/en/reference/references.md"
    text = page.read_text("utf-8")
    assert all(f"]({address})" in text for _, address in LINKS.values())


def test_what_a_head_holds_by_hand():
    """3 rows in 2 query heads and 5 keys, d 7, d_v 4: 24, 42 and 55 numbers."""
    rows = {"o, sum": 24 * 4, "o of the step": 24 * 2, "o of the step, wider": 24 * 4}
    rows |= {"L, L of the step, their difference, its weight": 4 * 6 * 4}
    keys = {"k, v": 55 * 2, "k, v, coming": 55 * 2}
    assert working_set(3, 5, 2, 7, 4) == keys | rows
    sums = {"dk, dv, sent": 55 * 4, "dk, dv, coming": 55 * 4, "dq, sum": 42 * 4}
    sums |= {"dq, dk, dv of the step": 97 * 2, "the kernel's": 6 * (7 + 2) * 4}
    assert working_set(3, 5, 2, 7, 4, backward=True) == keys | sums
    for size in (4, 8):  # nothing is made wider
        assert working_set(3, 5, 2, 7, 4, size)["o of the step, wider"] == 0
        assert working_set(3, 5, 2, 7, 4, size)["o, sum"] == 24 * size
        parts = working_set(3, 5, 2, 7, 4, size, backward=True)
        assert parts["the kernel's"] == 12 * size


def test_what_is_on_its_way_is_a_small_share_or_little():
    for n, world, kv_heads in itertools.product(
        (2**14, 2**17, 2**20), (2, 4, 16), (16, 2)
    ):
        share = n // world
        for backward in (False, True):
            more = {"backward": backward}
            parts = working_set(share, share, 16 // kv_heads, 128, 128, **more)
            one = sum(parts.values())
            few = at_once(share, share, 16, kv_heads, 128, 128, **more)
            whole = 2 * (16 + kv_heads) * share * 256 * 2
            bound = max(whole / 8, 2**28)
            assert 1 <= few <= kv_heads and (few == 1 or few * one <= bound)
            assert few == kv_heads or (few + 1) * one > bound


def test_with_many_heads_an_eighth_of_all_decides():
    """As many heads as fit an eighth of q, k, v, o and their gradients, no more."""
    for heads, kv_heads, d, d_v, size in ((128, 128, 64, 64, 2), (96, 48, 128, 64, 4)):
        given, more = (2**19, 2**18), {"batch": 2, "backward": True}
        few = at_once(*given, heads, kv_heads, d, d_v, size, **more)
        group = heads // kv_heads, d, d_v
        one = sum(working_set(*given, *group, size, backward=True).values())
        queries, keys = 2 * heads * given[0], 2 * kv_heads * given[1]  # of two entries
        whole = 2 * (queries + keys) * (d + d_v) * size  # q, o, k, v, four gradients
        assert 1 < few < 2 * kv_heads
        assert 8 * few * one <= whole < 8 * (few + 1) * one


def test_four_gpus_hold_a_quarter():
    """As counted, at N = 131,072: 4,957,667,840 bytes were measured on one GPU."""
    share = 2**17 // 4
    few, back = (at_once(share, share, 16, 16, 128, 128, backward=x) for x in (0, 1))
    assert (few, back) == (3, 1)
    kept = 8 * 16 * share * 128 * 2 + 16 * share * 4  # q, k, v, o, four gradients; L
    turn = sum(working_set(share, share, 1, 128, 128, backward=True).values())
    assert (kept + back * turn) / 4_957_667_840 < 0.25


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: scores(10, 4, 0), "n must be a multiple of 4"),
        (lambda: scores(12, 4, 0, True), "n must be a multiple of 8"),
        (lambda: scores(8, 2, 2), "step below 2"),
        (lambda: scores(8, 2, -1), "step must be"),
        (lambda: at_once(8, 8, 1, 2, 4, 4), "heads must be a whole number"),
    ],
)
def test_what_does_not_fit_is_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
