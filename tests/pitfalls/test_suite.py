"""Which test kills which variant, and the fewest tests that kill them all."""

from itertools import combinations

import pytest
import torch
from draw.tables._pitfalls import kills

from tilewise.pitfalls import PITFALLS, pieces, use
from tilewise.pitfalls.assembled import assemble
from tilewise.pitfalls.suite import SUITE, killed, smallest

from .test_gallery import each_base


@each_base
@pytest.mark.parametrize("name", SUITE)
def test_the_right_pieces_pass(name, right):
    assert SUITE[name](assemble(right, right)) is True


def test_every_variant_is_killed_and_every_test_kills():
    assert list(kills()) == [pitfall.name for pitfall in PITFALLS]
    assert all(kills().values())
    assert set().union(*kills().values()) == set(SUITE)


def test_the_smallest_set_kills_all_and_no_smaller_one_does():
    chosen = set(smallest(kills()))
    assert all(names & chosen for names in kills().values())
    for fewer in combinations(SUITE, len(chosen) - 1):
        assert not all(names & set(fewer) for names in kills().values())


def test_the_first_test_kills_few():
    """What the page says: one tile, N = d, the output alone."""
    first = [name for name, names in kills().items() if "first" in names]
    assert len(first) < len(PITFALLS) / 10


def test_a_test_that_raises_has_failed():
    def raises(_):
        return torch.ones(2) + torch.ones(3)

    assert killed(raises, {}) and killed(lambda _: False, {})
    assert not killed(lambda _: True, {})
    with pytest.raises(KeyError):
        killed(lambda pieces: pieces["no such piece"], {})


def test_one_variant_by_hand():
    """o in the old unit: exact while the maximum falls, not exact where V is 1."""
    wrong = use(next(p for p in PITFALLS if p.name == "output_not_rescaled"))
    assert SUITE["falling"](wrong) and SUITE["first"](wrong)
    assert not SUITE["rising"](wrong) and not SUITE["values_one"](wrong)
    assert wrong["finish"] is pieces.finish
