"""What a reader may ask the stepper: edges, limits and problems with a name."""

import json
from itertools import product

import pytest

from tilewise.live import answer, stepper
from tilewise.live.stepper import MASKS

from ._films import PASSES, SHAPES, asked, play


def test_a_row_that_sees_nothing():
    film = stepper.film(asked((4, 2, 2, 2, 2, 2), causal="bottom-right"))
    *_, (_, _, hbm) = play(film)
    assert hbm["l"][0] == 0 and hbm["m"][0] == "-inf" and hbm["o"][0] == [0, 0]
    json.dumps(film, allow_nan=False)


WRONG = [
    ("empty", "q", ""),
    ("not-a-number", "k", "1 0\nx 1"),
    ("not-a-number", "v", "<script>alert(1)</script>"),
    ("out-of-range", "q", "1e308"),
    ("not-finite", "q", "nan 1"),
    ("too-many-rows", "q", "1 1\n" * 17),
    ("too-many-cols", "q", "1 " * 10000),
    ("ragged", "k", "1 2\n3"),
    ("cols", "k", "1 2 3\n4 5 6"),
    ("rows", "v", "1 2"),
    ("rows", "do", "1 2"),
    ("cols", "do", "1\n2\n3\n4"),
    ("out-of-range", "block_rows", "0"),
    ("out-of-range", "block_cols", "9"),
    ("not-whole", "block_cols", "1.5"),
    ("not-a-number", "scale", "τ"),
    ("out-of-range", "scale", "1e308"),
    ("not-a-number", "softcap", "c"),
    ("out-of-range", "softcap", "0"),
    ("out-of-range", "sink", "-101"),
    ("not-finite", "sink", "-inf"),
    ("not-a-choice", "order", "k-outer"),
    ("not-a-choice", "causal", "True"),
    ("not-a-choice", "pass", None),
    ("not-a-choice", "order", "standard"),
    ("out-of-range", "n", "17"),
    ("not-whole", "n", "2.5"),
]


@pytest.mark.parametrize("code, field, text", WRONG, ids=lambda x: str(x)[:12])
def test_problems_are_named(code, field, text):
    request = {"ask": "stepper", "input": {"pass": "backward"} | {field: text}}
    found = json.loads(answer(json.dumps(request)))
    assert (found["problem"]["code"], found["problem"]["field"]) == (code, field)


def test_extremes_stay_json():
    for scale in ("100", "-100", "0", "ln 2"):
        for way in PASSES:
            q = "10000 -10000\n0.0001 0"
            request = {"q": q, "k": q, "v": q, "do": q, "scale": scale, "pass": way}
            found = answer(json.dumps({"ask": "stepper", "input": request}))
            assert "NaN" not in found and "Infinity" not in found
            assert "steps" in json.loads(found)["result"]


@pytest.mark.full
def test_both_pythons_agree(agree):
    """The example to the last character, random numbers, and every problem."""
    every = [{"pass": way, "order": x} for way in PASSES for x in stepper.ORDERS]
    masks = product(SHAPES, every, stepper.MASKS)
    every += [asked(shape, causal=x, **one) for shape, one, x in masks]
    every += [
        asked(shape, causal=x, order="standard") for shape in SHAPES for x in MASKS
    ]
    every += [
        {"n": "16"},
        {"n": "16", "order": "standard"},
        {"n": "7", "pass": "backward"},
    ]
    every += [{"pass": way, "sink": "0"} for way in PASSES]
    every += [x | {"softcap": "1.5", "sink": "0.5"} for x in every[:4]]
    every += [{"order": "standard", "softcap": "1.5", "sink": "-0.5"}]
    every += [{"pass": "backward"} | {field: text} for _, field, text in WRONG]
    for found in agree("stepper", every):
        assert found.keys() in ({"result"}, {"problem"})
