"""The figures of the ring and of zig-zag order, against a simulation."""

import re

import pytest

from .test_figures import LANGS, MODULES, SVG, TREES, css, texts


@pytest.mark.parametrize("lang", LANGS)
def test_ring_steps_draws_keys_that_move_on(lang):
    module, tree = MODULES["ring_steps"], TREES["ring_steps", lang]
    keys = list(range(module.WORLD))  # whose keys each rank holds
    shown = [x for x in texts(tree) if re.fullmatch(r"[QKV]\d", x)]
    for step in range(module.WORLD):
        row = shown[3 * module.WORLD * step : 3 * module.WORLD * (step + 1)]
        expected = [
            f"{n}{x}"
            for rank, k in enumerate(keys)
            for n, x in (("Q", rank), ("K", k), ("V", k))
        ]
        assert row == expected
        keys = keys[-1:] + keys[:-1]
    heads = [x for x in tree.iter(f"{SVG}path") if css(x) == ["tw-dot"]]
    assert len(heads) == module.WORLD * (module.WORLD - 1)


@pytest.mark.parametrize("lang", LANGS)
def test_zigzag_balance_draws_every_tile_once_and_the_time_that_it_takes(lang):
    module, tree = MODULES["zigzag_balance"], TREES["zigzag_balance", lang]
    world, unit = module.WORLD, module.UNIT
    each = module.CHUNKS * (module.CHUNKS - 1) // 2
    inside = [int(x) for x in texts(tree) if re.fullmatch(r"\d", x)]
    rects = [(css(x)[0], float(x.get("width"))) for x in tree.iter(f"{SVG}rect")]
    bars = [(x, y / unit) for x, y in rects if x[:3] == "zb-" and y != module.CELL]
    slots = [y / unit for x, y in rects if x == "tw-slot"]
    times, half = {"contiguous": 14, "zigzag": 8}, world * world
    on = [x.text for x in tree.iter(f"{SVG}text") if "zb-on" in css(x)]
    assert on == [str(world - 1)] * inside.count(world - 1)
    assert len(inside) == 2 * each and slots == [14] * world + [8] * world
    begun = 0
    for n, order in enumerate(module.ORDERS):
        owner = {row: r for r in range(world) for row in module.ORDERS[order][r]}
        owners = [owner[row] for row in range(module.CHUNKS) for _ in range(row)]
        assert inside[each * n : each * (n + 1)] == owners
        work = [0.0] * world
        mine = [x for x in module.steps(order).values() if x]
        for name, width in bars[begun : begun + len(mine)]:
            work[int(name[-1])] += width
        begun += len(mine)
        tiles = [owners.count(r) + 0.5 * 2 for r in range(world)]
        assert work == tiles and sum(work) == 2 * half
        assert max(work) == times[order] == module.starts(order)[-1]
        assert any(str(times[order]) in x for x in texts(tree))
