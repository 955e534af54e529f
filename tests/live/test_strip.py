"""The strip's states and weights, against plain softmax and against exact sums."""

import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from tilewise.live import answer
from tilewise.softmax import safe_softmax

DRAW = random.Random(7)
ROWS = [[0, 1, 2, 1], [-1, -1, -2, 0], [3], [1000, 1001, 999], [-1000, -1000]]
ROWS += [[-math.inf, 2, -math.inf], [-math.inf] * 3, [5e5, -5e5]]
ROWS += [[DRAW.gauss(0, 30) for _ in range(DRAW.randint(1, 64))] for _ in range(40)]


def asked(name, scores, unit="e"):
    """The result, or the code of the problem."""
    text = scores if isinstance(scores, str) else " ".join(map(str, scores))
    made = answer(json.dumps({"ask": name, "input": {"scores": text, "unit": unit}}))
    made = json.loads(made)
    return made["result"] if "result" in made else made["problem"]["code"]


def near(pair, x):
    return abs(float(pair[0]) - x) <= 1e-12 * abs(x) or float(pair[0]) == x


@pytest.mark.parametrize("row", ROWS)
def test_states_and_weights(row):
    made = asked("strip", row)
    assert len(made["joins"]) == len(row)
    for i, join in enumerate(made["joins"], 1):
        m = max(row[:i])
        assert float(join["m"][0]) == m
        terms = (math.exp(x - m) if x > -math.inf else 0 for x in row[:i])
        assert near(join["l"], math.fsum(terms))
        assert near(join["l"], join["a"]["part"][0] + join["b"]["part"][0])
    weights = safe_softmax(row)
    assert all(near(a, b) for a, b in zip(made["online"], weights, strict=True))
    if made["naive"]["problem"] == "":
        pairs = zip(made["naive"]["weights"], weights, strict=True)
        assert all(abs(a[0] - b) <= 1e-12 for a, b in pairs)


@pytest.mark.parametrize("row", ROWS)
def test_every_cut_merges_to_the_same_state(row):
    made = asked("cuts", row)
    whole = asked("strip", row)["joins"][-1]
    assert len(made["joins"]) == len(row) + 1
    for join in made["joins"]:
        for state in (join, join["swapped"]):
            assert state["m"] == whole["m"] and near(state["l"], whole["l"][0])
    for join, half in ((made["joins"][0], "a"), (made["joins"][-1], "b")):
        assert join[half]["m"][0] == "-inf" and join[half]["l"][0] == 0
        assert join["case"] == "empty"


def test_powers_of_two_are_fractions():
    made = asked("strip", "0 1 2 1", "2")
    assert [join["l"][1] for join in made["joins"]] == ["1", "3/2", "7/4", "9/4"]
    assert [x for _, x in made["online"]] == ["1/9", "2/9", "4/9", "2/9"]
    for _ in range(50):
        row = [DRAW.randint(-4, 4) for _ in range(DRAW.randint(1, 6))]
        exact = sum(Fraction(2) ** (x - max(row)) for x in row)
        text = asked("strip", row, "2")["joins"][-1]["l"][1]
        assert Fraction(text) == exact if exact.denominator < 1000 else "." in text


def test_what_a_score_does():
    found = asked("strip", "-inf 1 0 2 -inf 2")["joins"]
    cases = ["nothing", "first", "stays", "moves", "nothing", "stays"]
    assert [join["case"] for join in found] == cases


@pytest.mark.parametrize(
    "row, problem, weights",
    [
        ("0 1000", "overflow", ["0", "NaN"]),
        ("709.5 709.5", "overflow", ["0", "0"]),
        ("-1000 -1000", "zero", ["NaN", "NaN"]),
        ("-inf -inf", "none", ["NaN", "NaN"]),
        ("700 0", "", None),
    ],
)
def test_naive_softmax_fails_as_floating_point_does(row, problem, weights):
    naive = asked("strip", row)["naive"]
    assert naive["problem"] == problem
    if weights:
        assert [text for _, text in naive["weights"]] == weights
        made = naive_by_numpy([float(x) for x in row.split()])
        shown = [x if math.isfinite(x) else "nan" for x in made]
        assert [x for x, _ in naive["weights"]] == shown


def naive_by_numpy(row):
    """e^x / Σ e^x in float64 without a guard, as a GPU would go on."""
    with np.errstate(all="ignore"):
        exps = np.exp(np.array(row))
        return (exps / exps.sum()).tolist()


@pytest.mark.parametrize("name", ["strip", "cuts"])
@pytest.mark.parametrize(
    "text, code",
    [
        ("", "empty"),
        ("1 two", "not-a-number"),
        ("nan", "not-finite"),
        ("inf", "not-finite"),
        ("1e308", "out-of-range"),
        ("1 " * 65, "too-many"),
        ("1 " * 10000, "too-many"),
        ("<script>alert(1)</script>", "not-a-number"),
    ],
)
def test_hostile_rows_are_named(name, text, code):
    assert asked(name, text) == code


@pytest.mark.parametrize("name", ["strip", "cuts"])
def test_both_pythons_agree(agree, name):
    texts = [" ".join(map(str, row)) for row in ROWS[::3]] + ["", "nan", "1 two"]
    agree(name, [{"scores": text, "unit": unit} for text in texts for unit in "2e"])


def test_unit_is_one_of_two():
    assert asked("strip", "1", "10") == "not-a-choice"
