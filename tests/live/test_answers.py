"""What tilewise.live answers, word for word: results, and problems of every kind."""

import json

import pytest

from tilewise import live
from tilewise.live.reading import Problem


def asked(name, /, **given):
    return json.loads(live.answer(json.dumps({"ask": name, "input": given})))


def test_a_row():
    made = asked("row", scores="7 -inf 7")
    assert made == {"result": {"weights": [0.5, 0, 0.5], "shown": ["1/2", "0", "1/2"]}}
    found = {"code": "too-many", "field": "scores", "n": 101, "most": 100}
    assert asked("row", scores="1 " * 101) == {"problem": found}
    assert "result" in asked("row", scores="1 " * 100)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("row", {"weights", "shown"}),
        ("calculator", {"algorithms", "sweep", "command", "tiles", "card"}),
        ("calculator view", {"said", "tree", "chart", "card", "tile"}),
        ("stepper", {"steps", "tensors", "source", "general", "hbm", "counts"}),
        ("strip", {"scores", "joins", "online", "naive"}),
        ("cuts", {"scores", "joins", "online", "naive"}),
        ("grade", {"passed", "checks", "fault", "printed"}),
    ],
)
def test_every_name_that_may_be_asked(name, keys):
    source = {"name": "merge", "source": "", "lang": "en"} if name == "grade" else {}
    scores = {"scores": "1 2", "unit": "2"} if name in ("row", "strip", "cuts") else {}
    assert asked(name, **source, **scores)["result"].keys() >= keys


def test_there_are_no_others():
    asked = "row strip cuts grade calculator stepper".split()
    assert live.TABLE.keys() == {*asked, "calculator view"}


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (Problem("empty", "n", most=3), {"code": "empty", "field": "n", "most": 3}),
        (MemoryError(), {"code": "too-much", "field": None}),
        (OverflowError("far"), {"code": "overflow", "field": None}),
        (ZeroDivisionError("0"), {"code": "overflow", "field": None}),
        (ValueError("no"), {"code": "other", "field": None, "text": "no"}),
    ],
)
def test_errors_become_problems(error, found, monkeypatch):
    def fails(given):
        raise error

    monkeypatch.setattr(live, "find", lambda module, name: fails)
    assert asked("row") == {"problem": found}


def test_what_cannot_be_graded():
    other = {"code": "not-a-choice", "field": None, "token": "'../merge'"}
    assert asked("grade", name="../merge", source="", lang="en") == {"problem": other}
    long = {"code": "too-long", "field": None, "most": 20000}
    given = {"name": "merge", "lang": "en"}
    assert asked("grade", source="#" * 20001, **given) == {"problem": long}
    assert "result" in asked("grade", source="#" * 20000, **given)


def test_what_is_read_off_the_plots():
    """Standard attention at first: 2 · 32 · (4 N² + 4 N d) bytes at 3.35 TB/s."""
    n, d = 16_384, 128
    count = 64 * (4 * n * n + 4 * n * d)
    said = {"bytes": f"({count:,} B)", "seconds": f"{count / 3.35e9:.1f} ms"}
    for plot, text in said.items():
        chart = asked("calculator view", plot=plot)["result"]["chart"]
        place = chart["n"].index(f"N = {n:,}")
        assert text in chart["read"][place][chart["names"].index("standard")]
