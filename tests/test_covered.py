"""The floors' coverage: when it is measured, what is counted, when it is too little."""

import os
import sys
from types import SimpleNamespace

import pytest

from tilewise.one_pass import attention_row

from . import _covered
from ._counted import KEPT, counted
from ._house import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="as Triton")
ONE_PASS = "  src/tilewise/one_pass.py: "


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(KEPT, str(tmp_path))


def asked(*args, **options):
    none = dict.fromkeys(("keyword", "markexpr", "deselect", "collectonly"))
    option = SimpleNamespace(**none | options)
    return SimpleNamespace(args=args, option=option, getini=lambda _: ["tests", "docs"])


def test_only_the_whole_run_is_measured():
    assert _covered.whole(asked("tests", "docs"))
    assert not _covered.whole(asked("tests"))
    assert not _covered.whole(asked("tests", "docs", keyword="merge"))
    assert not _covered.whole(asked("tests", "docs", collectonly=True))


def test_only_tests_of_floors_are_measured():
    item = SimpleNamespace(path=ROOT / "tests/test_merge.py")
    assert _covered.wanted(item) and not _covered.wanted(None)
    for other in (
        "test_figures_io.py",
        "browser/test_copy.py",
        "kernels/test_compile.py",
    ):
        assert not _covered.wanted(SimpleNamespace(path=ROOT / "tests" / other))


def missing():
    """The lines of one_pass.py that nobody ran, as the report has them."""
    (name,) = [x for x in _covered.shares()[0][2] if x.startswith(ONE_PASS)] or [""]
    return name


def test_what_ran_is_counted_and_nothing_else(folder):
    with counted(really=False):
        attention_row([1], [[1]], [[1]])
    with counted():
        pass
    nothing = missing()
    with counted():
        attention_row([1], [[1]], [[1]])
    first, _, last = nothing.removeprefix(ONE_PASS).partition("-")
    assert int(first) < 10 and int(last) > 40, "all of it"
    assert missing().count(",") > 2, "what ran is no longer among them"


def test_nothing_is_counted_where_nobody_asks(monkeypatch, tmp_path):
    monkeypatch.delenv(KEPT, raising=False)
    with counted():
        assert sys.gettrace() is None
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("share, failed", [(94.9, 1), (95.0, 0), (0.0, 1)])
def test_too_little_fails_the_run(monkeypatch, share, failed):
    monkeypatch.setattr(_covered, "imports", lambda: None)
    found = [(0, 100.0, []), (1, share, ["  merge.py: 7"]), (2, 99.0, ["  ops.py: 5"])]
    monkeypatch.setattr(_covered, "shares", lambda: found)
    session, report = SimpleNamespace(testsfailed=0), _covered.Report(None)
    loop = report.pytest_runtestloop(session)
    next(loop)
    with pytest.raises(StopIteration):
        loop.send(True)
    assert session.testsfailed == failed
    said = "\n".join(report.said)
    assert f"floor 1: {share} %" in said and ("merge.py: 7" in said) == bool(failed)
    assert "ops.py" not in said
