"""What a reader may type, and what is said where it cannot be read."""

import json
import math

import pytest

from tilewise.live import TABLE, answer
from tilewise.live.reading import (
    LONGEST,
    Problem,
    choice,
    fraction,
    matrix,
    numbers,
    real,
    safe,
    whole,
)

GOOD = {
    "1": 1,
    "-2.5": -2.5,
    "+3": 3,
    "1e3": 1000,
    "1E-2": 0.01,
    ".5": 0.5,
    "5.": 5,
    "1/3": 1 / 3,
    "-1/4": -0.25,
    "1/-4": -0.25,
    "−2": -2,
    "１２": 12,
    "３．５": 3.5,
    " 7 ": 7,
    "－１０": -10,
    "＋9": 9,
    "0９": 9,
}
BAD = ["x", "1_0", ".", "-", "1e", "1e+", "--1", "1.2.3", "0x10", "1/0", "1/2/3", "/2"]
BAD += ["1,5 2", "<script>", "١", "1e5.5", "e5", "1/", "∞∞", "None", "e+-5", "1e+-5"]
HOSTILE = ["", " ", "text", "1e308", "NaN", "nan", "inf", "-inf", "1e400", "<script>"]
HOSTILE += ["1 " * 10000, "9" * 50000, "[" * 50000, "\0", "]][[", ";;;", "1/0", "--1"]
HOSTILE += [None, True, [], {}, [[]], [None], [[1], [2, 3]], [True], 1e308, -1]


def code(read, *args, **how):
    with pytest.raises(Problem) as raised:
        read(*args, **how)
    return raised.value.code, raised.value.values


@pytest.mark.parametrize("text", GOOD)
def test_numbers_that_are_read(text):
    assert real(text, "x") == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_number(text):
    assert code(real, text, "x") == ("not-a-number", {"token": text})


def test_lists_and_matrices():
    assert numbers("1, 2;3\n4", "x", 4) == [1, 2, 3, 4] == numbers([1, 2, 3, 4], "x", 4)
    assert numbers("[1, 2]", "x", 4) == [1, 2] == numbers("１，２", "x", 2)
    assert numbers("1 -inf", "x", 2, infinite=True) == [1, -math.inf]
    for text in (
        "1 2\n3 4",
        "1,2;3,4",
        "[[1, 2],\n [3, 4]]",
        [[1, 2], [3, 4]],
        "1 2；3 4\r\n",
    ):
        assert matrix(text, "q", 2, 2) == [[1, 2], [3, 4]]


def test_problems_name_what_is_wrong():
    assert code(numbers, " ", "x", 3) == ("empty", {})
    assert code(numbers, "1 2 3", "x", 2) == ("too-many", {"n": 3, "most": 2})
    assert code(numbers, "1 inf", "x", 3) == ("not-finite", {"token": "inf"})
    assert code(numbers, "-inf", "x", 3) == ("not-finite", {"token": "-inf"})
    assert code(numbers, "inf", "x", 3, infinite=True)[0] == "not-finite"
    found = code(numbers, "1e308", "x", 3)
    assert found == ("out-of-range", {"token": "1e308", "least": -1e6, "most": 1e6})
    assert code(numbers, "1" * (LONGEST + 1), "x", 3) == ("too-long", {"most": LONGEST})
    assert code(matrix, "1\n2\n3", "q", 2, 2) == ("too-many-rows", {"n": 3, "most": 2})
    assert code(matrix, "1 2 3", "q", 2, 2) == ("too-many-cols", {"n": 3, "most": 2})
    assert code(matrix, "1 2\n3", "q", 4, 4) == (
        "ragged",
        {"row": 2, "n": 1, "first": 2},
    )
    assert code(whole, "2.5", "n", 1, 9) == ("not-whole", {"token": "2.5"})
    assert (
        code(whole, "10", "n", 1, 9)[0]
        == "out-of-range"
        == code(whole, 0, "n", 1, 9)[0]
    )
    assert code(choice, "c", "order", ["a", "b"]) == ("not-a-choice", {"token": "c"})
    assert code(choice, 1, "causal", [True])[0] == "not-a-choice"
    assert whole("4", "n", 1, 9) == whole(4, "n", 1, 9) == whole("4.0", "n", 1, 9) == 4
    assert len(code(real, "x" * 99, "x")[1]["token"]) == 40


def test_fractions_as_text():
    known = {
        1 / 3: "1/3",
        -2.25: "−9/4",
        0.0: "0",
        4: "4",
        1 / 997: "1/997",
        1e-9: "1e−09",
    }
    known |= {
        math.log(2): "0.6931",
        123456.7: "1.235e+05",
        -math.inf: "−∞",
        1e15: "1e+15",
    }
    assert {x: fraction(x) for x in known} == known
    for p in range(-60, 61):
        for q in range(1, 61):
            top, _, bottom = fraction(p / q).replace("−", "-").partition("/")
            assert int(top) * q == p * int(bottom or 1)


def test_safe():
    made = safe({"a": (1, [math.inf, -math.inf]), "b": math.nan, "c": None})
    assert made == {"a": [1, ["inf", "-inf"]], "b": "nan", "c": None}


@pytest.mark.parametrize("ask", TABLE)
def test_whatever_is_asked_there_is_an_answer(ask):
    """An input that is no dict is the page's mistake, not a reader's."""
    with pytest.raises((AttributeError, KeyError, TypeError)):
        answer(json.dumps({"ask": ask, "input": None}))


def test_hostile_rows(agree):
    for found in agree("row", [{"scores": x} for x in HOSTILE]):
        assert found.keys() in ({"result"}, {"problem"}), found
