"""The files around the site: README, how the tests are run."""

import os
import re
from types import SimpleNamespace

from repository import ROOT
from versions import SETTINGS

READER = 'python -m pip install -e ".[docs]" && mkdocs serve'
TESTER = 'python -m pip install -c constraints.txt -e ".[test]" && pytest'
OTHERS = ["mkdocs build --strict", "python -m tilewise trace"]
PYTEST = SETTINGS["tool"]["pytest"]["ini_options"]


def commands(text):
    """The lines of the console blocks in a Markdown text."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    lines = "".join(blocks).splitlines()
    return [
        x.removeprefix("$ ").partition("  #")[0].strip() for x in lines if x.strip()
    ]


def test_readme_opens_with_the_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert commands(text)[:2] == [READER, TESTER]
    assert all(command in text for command in OTHERS)
    assert len(text.splitlines()) <= 90
    assert re.search("[\u4e00-\u9fff]", text)


def test_plain_pytest_sees_it_all():
    """The tests, the code of every page and that of the README."""
    assert PYTEST["testpaths"] == ["tests", "docs", "README.md"]
    assert "--codeblocks" in PYTEST["addopts"].split()


def test_folders_run_in_several_processes_and_files_in_one(pytestconfig, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64), raising=False)
    ask, folders = pytestconfig.hook.pytest_xdist_auto_num_workers, PYTEST["testpaths"]

    def workers(*args, gib=64, keyword=""):
        pages = {"SC_PHYS_PAGES": gib << 18, "SC_PAGE_SIZE": 4096}
        monkeypatch.setattr(os, "sysconf", pages.get, raising=False)
        option = SimpleNamespace(keyword=keyword, markexpr="")
        config = SimpleNamespace(args=args, option=option, getini=lambda _: folders)
        return ask(config=config)

    assert workers(*folders) == workers(ROOT / "tests") == 4
    assert workers(ROOT / "tests", gib=6) == 3 and workers(ROOT / "tests", gib=2) == 0
    for one in (__file__, "tests/site/test_frame.py::test_plain_pytest_sees_it_all"):
        assert workers(one) == 0
    assert workers(ROOT / "tests", keyword="merge") == 0
