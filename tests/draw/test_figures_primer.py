"""The figures of the page on Triton: who owns what, and the walk along a row."""

import re

import pytest

from tilewise import trace, worked_example

from .test_figures import LANGS, SVG, TREES, css, texts


@pytest.mark.parametrize("lang", LANGS)
def test_program_grid_gives_each_place_to_one_program(lang):
    tree = TREES["program_grid", lang]
    shown = [int(x) for x in texts(tree) if re.fullmatch(r"\d+", x)]
    owned = [x for x in range(10) for _ in range(2)]  # in the program and in HBM
    assert sorted(shown) == sorted([*owned, 10, 11, *range(4 * 6)])
    boxes = [css(x)[0] for x in tree.iter(f"{SVG}rect")]
    assert boxes.count("tw-reg") == 3 + 4
    assert boxes.count("tw-slot") == 2 + 4 * 2 and texts(tree).count("−∞") == 4 * 2


@pytest.mark.parametrize("lang", LANGS)
def test_online_walk_shows_the_trace(lang):
    """Row 3 in tiles of one row and two columns, and the example's weights."""
    e = worked_example
    steps = trace.forward([e.Q[2]], e.K, e.V, 1, 2, scale=e.SCALE)
    states = [(t["m_new"][0] / e.SCALE, t["l_new"][0]) for t in steps]
    assert states == [(1, pytest.approx(1.5)), (2, pytest.approx(2.25))]
    said = texts(TREES["online_walk", lang])
    shown = [x for x in said if re.match("[mℓ] = ", x)]
    assert shown == ["m = 1", "ℓ = 3/2", "m = 2", "ℓ = 9/4"]
    assert [x for x in said if "/9" in x] == ["1/9", "2/9", "4/9", "2/9"]
