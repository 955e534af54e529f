"""Time lines of the Gluon kernels: bars and what the widget says are the stamps."""

import importlib
import json
import re

import pytest
from draw.tables.gpu import backward_timeline as table

PASSES = "forward", "backward"
MODULES = {x: importlib.import_module(f"draw.figures.gpu.{x}_timeline") for x in PASSES}
lanes = importlib.import_module("draw.figures._lanes")
GAP = 200  # cycles between two tiles in which a role has no stamps
RECT = re.compile(r'<rect x="(\d+)" y="(\d+)" width="(\d+)"')


@pytest.mark.parametrize("way", PASSES)
def test_the_widget_says_what_is_drawn(way):
    film = json.loads(MODULES[way].film())
    left, top, wide, _ = film["box"]
    unit = wide / film["cycles"]
    for lang in ("en", "zh"):
        bars = [tuple(map(int, x)) for x in RECT.findall(MODULES[way].draw(lang))]
        said = [
            (max(a, 0), min(b, film["cycles"]), top + lanes.LANE * row)
            for row, spans in enumerate(film["lanes"].values())
            for a, b, *_ in spans
        ]
        assert len(bars) == len(said)
        for (x, y, w), (a, b, at) in zip(bars, said, strict=True):
            assert y == at and abs(x - left - unit * a) <= 0.5
            assert abs(x + w - left - unit * b) <= 0.5


@pytest.mark.parametrize("way", PASSES)
def test_every_role_does_something_at_every_instant(way):
    film = json.loads(MODULES[way].film())
    for role, spans in film["lanes"].items():
        assert spans[0][0] <= GAP and spans[-1][1] >= film["cycles"] - GAP, role
        for before, after in zip(spans, spans[1:], strict=False):
            assert 0 <= after[0] - before[1] <= GAP and after[3] - before[3] in (0, 1)
            assert before[1] > before[0]


def test_a_field_is_as_long_as_its_stamps_say():
    """One of them, read from the file by hand."""
    (run,) = [
        x
        for x in lanes.results(lanes.FILE)["passes"]["forward"]["64"]
        if len(x["points"]) == 7
    ]
    stamps = {tile: rest for tile, *rest in run["strip"]["consumer 0"]}
    spans = json.loads(MODULES["forward"].film())["lanes"]["consumer 0"]
    assert [0, stamps[57][1] - stamps[57][0], "key", 57] == spans[0]
    softmax = next(x for x in spans if x[2:] == ["softmax", 57])
    assert softmax[1] - softmax[0] == stamps[58][0] - stamps[57][4]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_cycles_of_a_tile_add_up_to_its_period(lang):
    *parts, whole = table.lines(table.SAY[lang])
    period = table.pairs()[0]["cycles"]
    for w in range(2):
        told = [int(x[1 + w]) for x in parts]
        assert abs(sum(told) - int(whole[1 + w])) <= len(told) / 2
        assert int(whole[1 + w]) == round(period[f"consumer {w}"]["again"])
        assert min(told) > 0
