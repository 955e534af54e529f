"""Line coverage of the floors, in the whole run alone: at least LEAST percent of each.

Measured is what the files of WHERE run, a floor's own tests, and not what the rest
happens to pass through: tracing makes Python twice as slow. The lines that an import
runs are counted in a process of its own, with PyTorch there already, and the kernels'
bodies in Triton's interpreter, where `counted` says so. What no CPU can run is left
out by [tool.coverage.report] in pyproject.toml, which says why.
"""

import fnmatch
import os
import subprocess
import sys
from tempfile import TemporaryDirectory

import pytest

from ._counted import KEPT, counter
from ._house import FLOORS, ROOT, SOURCE, floor_of, part_of

LEAST = 95  # percent
BESIDE = "best bench counters covered docstrings elements errata figures floors ladder"
BESIDE += " library packing_speed plots precision quickstart results ruff types"
WHERE = ["tests/test_*.py", "tests/kernels/test_*.py", "tests/exercises/test_*.py"]
WHERE += ["tests/live/test_*.py", "tests/serve/test_*.py"]
NOT = [f"tests/test_{name}*.py" for name in BESIDE.split()]
NOT += ["tests/test_*_results.py", "tests/kernels/test_*compile.py"]
NOT += ["tests/kernels/test_gluon_backward.py", "tests/live/test_micropython.py"]
IMPORTS = """
import sys
import fastapi, prometheus_client, safetensors.torch, torch, triton, uvicorn
from tests._counted import counted
with counted():
    for name in sys.argv[1:]:
        __import__(name)
"""


def whole(config):
    """Whether pytest was asked for everything, on Linux, which has Triton."""
    option = config.option
    part = option.keyword or option.markexpr or option.deselect or option.collectonly
    given = [*config.args] == config.getini("testpaths")
    return given and not part and sys.platform == "linux"


def wanted(item):
    path = item and item.path.relative_to(ROOT).as_posix()
    return bool(item) and [True, False] == [
        any(fnmatch.fnmatch(path, x) for x in some) for some in (WHERE, NOT)
    ]


class Tests:
    """Counts in a process that runs tests, from a wanted one to one that is not."""

    def __init__(self):
        self.lines, self.runs = counter(), False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if wanted(item) and not self.runs:
            self.lines.start()
            self.runs = True
        result = yield
        if self.runs and not wanted(nextitem):
            self.lines.stop()
            self.runs = False
        return result

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self):
        result = yield
        self.lines.save()
        return result


class Report:
    """Adds up what all processes counted, says it, and fails where it is too little."""

    def __init__(self, folder):
        self.folder, self.said = folder, []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session):
        result = yield
        if not session.testsfailed:
            imports()
            found = shares()
            self.said = [*map(line, found)]
            session.testsfailed += any(x[1] < LEAST for x in found)
        return result

    def pytest_terminal_summary(self, terminalreporter):
        for text in self.said:
            terminalreporter.write_line(text)

    def pytest_unconfigure(self):
        self.folder.cleanup()


def line(found):
    floor, share, missing = found
    text = f"floor {floor}: {share:.1f} % of the lines that a CPU can run are tested"
    if share < LEAST:
        text += f", and {LEAST} % must be:\n" + "\n".join(missing)
    return text


def imports():
    """Count the lines that run when the floors are imported."""
    paths = (x.relative_to(SOURCE.parent).with_suffix("") for x in FLOORS)
    names = [".".join(x.parts).removesuffix(".__init__") for x in paths]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT)))}
    command = [sys.executable, "-c", IMPORTS, *names]
    subprocess.run(command, cwd=ROOT, env=env, check=True, timeout=300)


def shares():
    """[(floor, percent, its files with missing lines)]."""
    lines = counter()
    lines.combine([os.environ[KEPT]], keep=True)
    found = []
    for floor in (0, 1, 2):
        total = missed = 0
        names = []
        for path in FLOORS:
            if floor_of(part_of(path)) == floor:
                _, here, _, missing, shown = lines.analysis2(str(path))
                total, missed = total + len(here), missed + len(missing)
                if missing:
                    names.append(f"  {path.relative_to(ROOT)}: {shown}")
        found.append((floor, 100 * (total - missed) / total, names))
    return found


def begin(config):
    """Called as pytest begins, in each of its processes that runs tests."""
    worker = hasattr(config, "workerinput")
    if not worker and whole(config):
        folder = TemporaryDirectory(prefix="tilewise-covered-")
        os.environ[KEPT] = folder.name
        config.pluginmanager.register(Report(folder))
    if KEPT in os.environ and (worker or not config.getvalue("numprocesses")):
        config.pluginmanager.register(Tests())
