"""The figures about traffic draw what the ledger counts."""

import re

import pytest

from tilewise import ledger

from .test_figures import LANGS, MODULES, SVG, TREES, css, texts


def moved(bill):
    return bill["reads"] + bill["writes"]


@pytest.mark.parametrize("lang", LANGS)
def test_crossover_is_the_ledger_at_every_point(lang):
    module, tree = MODULES["io_crossover"], TREES["io_crossover", lang]
    n, d = module.N, module.D
    paths = {css(x)[1]: x.get("d") for x in tree.iter(f"{SVG}path") if css(x)[1:]}
    for cls, name in (("tw-of-flash1", "flash1"), ("tw-of-flash2", "flash2")):
        numbers = [float(x) for x in re.findall(r"[\d.]+", paths[cls])]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        assert len(points) > 200
        for x, y in points[:: len(points) // 20]:
            m = module.LOW * (module.HIGH / module.LOW) ** (
                (x - module.LEFT) / (module.RIGHT - module.LEFT)
            )
            cols = -(-m // (4 * d))
            rounds = -(-n // cols)
            per_round, once = {
                "flash1": (n * (3 * d + 4), 3 * n * d + 2 * n),
                "flash2": (2 * n * d, 2 * n * d + n),
            }[name]
            assert module.Y(per_round * rounds + once) == pytest.approx(y, abs=4)
    shown = [moved(ledger.standard_forward(n, d))]
    tiles = ledger.block_sizes(module.HUNDRED_KB, d)
    shown.append(moved(ledger.flash1_forward(n, d, *tiles)))
    assert {f"{x:,}" for x in shown} <= set(texts(tree))
    assert shown[1] > shown[0]


def test_crossover_marks_the_break_even():
    module = MODULES["io_crossover"]
    below, above = (
        module.moved("flash1", m) for m in (module.EVEN, module.EVEN + 2000)
    )
    assert below > module.moved("standard", 1) > above


@pytest.mark.parametrize("lang", LANGS)
def test_rows_per_block_is_the_formula_at_every_point(lang):
    module, tree = MODULES["rows_per_block"], TREES["rows_per_block", lang]
    n, d = module.N, module.D
    points = [x for x in tree.iter(f"{SVG}circle") if css(x)[1:] == ["tw-of-flash2"]]
    assert len(points) == 11
    for power, point in enumerate(points):
        elements = 2 * n * d + n + 2 * n * n * d / 2**power
        assert float(point.get("cx")) == pytest.approx(module.X(2**power), abs=0.1)
        assert float(point.get("cy")) == pytest.approx(module.Y(elements), abs=0.1)
    assert {f"{4 * n * n + 4 * n * d:,}", "134,349,824"} <= set(texts(tree))
    assert module.moved(d // 2) < module.moved() < module.moved(d // 2 - 1)


@pytest.mark.parametrize("lang", LANGS)
def test_shared_loads_has_an_arrow_for_each_reading(lang):
    module, tree = MODULES["shared_loads"], TREES["shared_loads", lang]
    readings = module.QUERIES + module.QUERIES // 4
    for name in ("tw-k", "tw-v"):
        arrows = [x for x in tree.iter(f"{SVG}path") if css(x) == [name]]
        assert len(arrows) == readings
