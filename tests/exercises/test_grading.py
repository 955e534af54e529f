"""Grading a reader's code, whatever it does: words for every fault, no exception."""

import math

import pytest

from tilewise.exercises.grading import compare
from tilewise.exercises.sentences import SENTENCES, parts
from tilewise.exercises.writing import call, short
from tilewise.live.grade import check
from tilewise.live.runner import NAME


def graded(source, name="merge", lang="en"):
    return check({"name": name, "source": source, "lang": lang})


def kinds(source, name="merge"):
    return {x["fault"] and x["fault"]["kind"] for x in graded(source, name)["checks"]}


SAFE = "from tilewise.exercises.safe_softmax import safe_softmax as right\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("pass", "none"),
        ("return 7", "type"),
        ("return 'abcd'", "type"),
        ("return [None] * len(xs)", "type"),
        ("return [True] * len(xs)", "type"),
        ("return [1j] * len(xs)", "type"),
        ("return (x for x in right(xs))", "type"),
        ("return right(xs) + [0]", "length"),
        ("return right(xs)[1:]", "length"),
        ("return [float('nan')] * len(xs)", "nan"),
        ("return [float('inf')] * len(xs)", "number"),
        ("return [p * (1 + 1e-8) for p in right(xs)]", "number"),
        ("return [-1] * len(xs)", "number"),
        ("p = right(xs); xs.sort(); xs.append(1); return p", "changed"),
        (
            "p = right(xs)\n    for i in range(len(xs)): xs[i] = 0\n    return p",
            "changed",
        ),
        ("raise ValueError('no')", "raised"),
        ("raise SystemExit", "raised"),
        ("raise KeyboardInterrupt", "raised"),
        ("return safe_softmax(xs)", "raised"),
        ("x = []; x.append(x); return x", "type"),
        ("return list(range(10**5))", "length"),
    ],
)
def test_faults(body, kind):
    source = f"{SAFE}def safe_softmax(xs):\n    {body}"
    made = graded(source, "safe_softmax", "zh")
    assert not made["passed"] and kind in {
        x["fault"]["kind"] for x in made["checks"] if x["fault"]
    }
    for fault in (x["fault"] for x in made["checks"] if x["fault"]):
        assert fault["call"].startswith("safe_softmax([") and len(fault["call"]) < 400
        assert len("".join(fault["parts"])) < 1500 and "{" not in fault["parts"][0]


@pytest.mark.parametrize(
    "body",
    [
        "return tuple(right(xs))",
        "return [p * (1 + 1e-10) for p in right(xs)]",
        "xs = list(xs); p = right(xs); xs.sort(); return p",
    ],
)
def test_forms_that_are_fine(body):
    assert graded(f"{SAFE}def safe_softmax(xs):\n    {body}", "safe_softmax")["passed"]


def test_counts_are_exact():
    source = (
        "from tilewise.exercises.traffic_standard import traffic_standard as right\n"
    )
    source += "def traffic_standard(*given):\n    return {} * right(*given)"
    assert graded(source.format("1.0"), "traffic_standard")["passed"]
    assert not graded(source.format("(1 + 1e-12)"), "traffic_standard")["passed"]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", "Your code has no function merge."),
        ("merge = 3", "Your code has no function merge."),
        ("def merge(a, b)\n  pass", "Your code stopped with SyntaxError"),
        ("\n1 / 0", "Your code stopped with ZeroDivisionError"),
        ("import sys\nsys.exit()", "Your code stopped with SystemExit"),
        ("import tilewise.nothing", "Your code stopped with ModuleNotFoundError"),
        ("x = " + "[" * 900, "Your code stopped with SyntaxError"),
        ("a\0b", "Your code stopped with SyntaxError"),
    ],
)
def test_code_that_does_not_run(source, sentence):
    made = graded(source)
    assert not made["passed"] and made["checks"] == []
    assert "".join(made["fault"]["parts"]).startswith(sentence)


def test_errors_name_the_line():
    assert graded("\n\n1 / 0")["fault"]["line"] == 3
    fault = graded("x = 1\ndef merge(a, b):\n    return x / 0")["checks"][0]["fault"]
    sentence = "".join(fault["parts"])
    assert fault["line"] == 3 and sentence.endswith("division by zero in line 3.")
    assert NAME not in sentence


def test_what_is_printed_comes_back_and_is_cut():
    source = "print('α', 1, sep='-', end='!')\ndef merge(a, b):\n    print(a[0])"
    printed = graded(source)["printed"]
    assert printed.startswith("α-1!0\n-0.69")
    assert len(graded("for i in range(10**5): print(i)")["printed"]) == 2000
    assert graded("print = None\nprint(1)")["fault"]["kind"] == "raised"


def test_each_grading_begins_afresh():
    assert graded("def merge(a, b): pass\nleft = 1")["fault"] is None
    assert graded("left")["fault"]["kind"] == "raised"


def test_places():
    assert compare([[1, 2], [3, 5]], [[1, 2], [3, 4]]) == ("number", "[1][1]", 5, 4)
    assert compare((1, [2]), [1, (2,)]) is None
    assert compare(-math.inf, -math.inf) is None
    assert compare(math.inf, -math.inf)[0] == "number"
    assert compare([1e9 + 0.5], [1e9]) is None and compare([0.5, 1e9], [0, 1e9]) is None
    assert compare(2e-9, 0)[0] == "number", "the slack is that of 1"
    assert compare("full", "full") is None and compare("Full", "full")[0] == "number"
    assert compare(1, "full")[0] == "type" and compare(0, False)[0] == "type"


def test_sentences_are_complete():
    assert SENTENCES["en"].keys() == SENTENCES["zh"].keys()


def test_sentences():
    """In Chinese no blank stands between the place and the verb."""
    fault = {"call": "f(1)", "got": "2", "expected": "[3]", "at": "[0]"}
    said = {
        ("length", "en"): "f(1) gives 2 at [0]: its length is not that of [3].",
        ("length", "zh"): "f(1) 在 [0] 处得到 2，长度和 [3] 不同。",
        ("nan", "zh"): "f(1) 在 [0] 处得到 NaN，应为 [3]。",
    }
    for (kind, lang), text in said.items():
        assert "".join(parts(fault | {"kind": kind}, lang)) == text
    bare = fault | {"kind": "number", "at": ""}
    assert "".join(parts(bare, "zh")) == "f(1) 得到 2，应为 [3]。"


def test_values_are_written_as_they_are_typed():
    x = [1, 2.0, 0.1, -math.inf, math.inf, math.nan, None, True, "a", (1,), ()]
    text = "[1, 2, 0.1, -math.inf, math.inf, math.nan, None, True, 'a', (1,), ()]"
    assert short(x) == text and short(1e20) == "1e+20" and short(object()) == "<object>"
    assert call("f", [[1], 2.5], once=(0,)) == "f(iter([1]), 2.5)"
    assert short(list(range(100))).endswith(", 39, …]") and len(short("a" * 999)) == 160
    assert short(list(range(40))).endswith(", 38, 39]")
