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
    paths = {css(x)[0]: x.get("d") for x in tree.iter(f"{SVG}path") if css(x)}
    for cls, name in (("ic-o", "flash1"), ("ic-k", "flash2")):
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
