"""Exercises are graded in the page as they are here: each solution, each mistake."""

import json

import pytest

from tilewise.exercises import NAMES
from tilewise.render.exercise import solution, start, wrong

SPOKEN = ("message", "line", "parts")  # each Python has its own words for an error


def sources(name):
    """The solution, what one begins with, and every wrong solution."""
    return [solution(name), start(name), *(x for _, x in wrong(name).values())]


def plain(made):
    """A grade without what is said of exceptions."""
    for check in made["checks"]:
        if check["fault"] and check["fault"]["kind"] == "raised":
            check["fault"] = {
                k: x for k, x in check["fault"].items() if k not in SPOKEN
            }
    return made


def test_grades(both):
    asked = [
        {"name": name, "source": source, "lang": lang}
        for name in NAMES
        for source, lang in zip(sources(name), ["en", "zh"] * 9)
    ]
    texts = [json.dumps({"ask": "grade", "input": x}) for x in asked]
    made = both([("live", "answer", [text], {}) for text in texts])
    assert len(made) > 100
    for one, pair in zip(asked, made, strict=True):
        here, there = (plain(json.loads(x["made"])["result"]) for x in pair)
        assert here == there, one


BROKEN = ["x = 1\n1 / 0", "def merge(a, b)\n  pass", "", "import sys\nsys.exit()"]
BROKEN += ["def merge(a, b):\n    x = 1\n    return a + 1"]
BROKEN += ["print('α', 1)\nraise KeyError"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_errors(both, lang):
    """The same line and kind, in whatever words."""
    asked = [{"name": "merge", "source": x, "lang": lang} for x in BROKEN]
    texts = [json.dumps({"ask": "grade", "input": x}) for x in asked]
    for one, pair in zip(asked, both([("live", "answer", [x], {}) for x in texts])):
        here, there = (json.loads(x["made"])["result"] for x in pair)
        assert here["printed"] == there["printed"] and not there["passed"]
        a, b = (x["fault"] or x["checks"][0]["fault"] for x in (here, there))
        assert (a["kind"], a.get("line")) == (b["kind"], b.get("line")), one
        if "message" in a:
            assert a["message"].split(":")[0] == b["message"].split(":")[0]
