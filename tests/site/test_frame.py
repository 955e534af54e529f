"""The files around the site: README, versions, workflows."""

import os
import re
import tomllib
from types import SimpleNamespace

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from pages import ROOT

READER = 'python -m pip install -e ".[docs]" && mkdocs serve'
TESTER = 'python -m pip install -c constraints.txt -e ".[test]" && pytest'
OTHERS = ["mkdocs build --strict", "python -m tilewise trace"]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, PYTEST = SETTINGS["project"], SETTINGS["tool"]["pytest"]["ini_options"]
EXTRAS = PROJECT["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.y*ml"))

each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)


def requirements(extra):
    """The requirements of an extra, those of the extras it names among them."""
    for text in EXTRAS[extra]:
        found = Requirement(text)
        if found.name == PROJECT["name"]:
            for inner in found.extras:
                yield from requirements(inner)
        else:
            yield found


def pins():
    """{name: version} of constraints.txt."""
    found = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line := line.partition("#")[0].strip():
            pin = Requirement(line)
            (clause,) = pin.specifier
            assert clause.operator == "==" and "*" not in clause.version, line
            assert canonicalize_name(pin.name) not in found, line
            found[canonicalize_name(pin.name)] = Version(clause.version)
    return found


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


def test_plain_pytest_runs_it_all():
    """The tests, the code of every page and that of the README."""
    assert PYTEST["testpaths"] == ["tests", "docs", "README.md"]
    assert "--codeblocks" in PYTEST["addopts"].split()


def test_folders_run_in_several_processes_and_files_in_one(pytestconfig, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64), raising=False)
    ask, folders = pytestconfig.hook.pytest_xdist_auto_num_workers, PYTEST["testpaths"]

    def workers(*args, gib=64, keyword=""):
        pages = {"SC_PHYS_PAGES": gib << 18, "SC_PAGE_SIZE": 4096}
        monkeypatch.setattr(os, "sysconf", pages.get, raising=False)
        option = SimpleNamespace(keyword=keyword)
        config = SimpleNamespace(args=args, option=option, getini=lambda _: folders)
        return ask(config=config)

    assert workers(*folders) == workers(ROOT / "tests") == 4
    assert workers(ROOT / "tests", gib=6) == 3 and workers(ROOT / "tests", gib=2) == 0
    for one in (__file__, "tests/site/test_frame.py::test_there_are_workflows"):
        assert workers(one) == 0
    assert workers(ROOT / "tests", keyword="merge") == 0


def test_readers_need_no_torch():
    names = {canonicalize_name(x.name) for x in requirements("docs")}
    assert names and not names & {"torch", "triton"}
    assert not PROJECT.get("dependencies")


def test_pages_are_tested_with_the_plugin_they_were_written_for():
    (plugin,) = (x for x in requirements("test") if x.name == "pytest-codeblocks")
    assert str(plugin.specifier) == "==0.18.0"


@pytest.mark.parametrize("extra", EXTRAS)
def test_pins_satisfy_the_project(extra):
    found = pins()
    for needed in requirements(extra):
        version = found.get(canonicalize_name(needed.name))
        assert version, f"{needed.name} is not in constraints.txt"
        assert needed.specifier.contains(version, prereleases=True), needed


def test_there_are_workflows():
    assert {"ci", "weekly"} <= {p.stem for p in WORKFLOWS}


@each_workflow
def test_actions_are_pinned(path):
    """By a commit, which nobody can move, with the version in a comment."""
    uses = re.findall(r"^\s*-?\s*uses:\s*(.+)$", path.read_text("utf-8"), re.M)
    for use in (x for x in uses if not x.startswith("./")):
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} +# v[\w.]+", use), use


@each_workflow
def test_workflow_has_no_rights_and_ends(path):
    """Rights are given to the job that needs them; each job has a limit of time."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {}
    for job, what in workflow["jobs"].items():
        assert "timeout-minutes" in what or "uses" in what, job
