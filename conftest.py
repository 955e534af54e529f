"""pytest runs the code blocks of every page below docs as the reader sees them.

pytest-codeblocks collects and reports. What a block is, and how it runs, is decided in
tests/site/codeblocks.py: the plugin alone skips fences it does not know without a word
and takes an include for Python.

`pytest` runs the quick set, and `pytest --full` runs everything. Whoever names files,
folders, tests, words or marks on the command line gets all of what is named. Folders
run on several cores: pytest-xdist gives each worker whole files, so that a fixture of a
module is set up once.
"""

import gc
import os
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_codeblocks.plugin as plugin
from codeblocks import blocks, run
from hypothesis import settings
from pytest_codeblocks.main import CodeBlock
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parent
WORKERS = 4  # at most
MEMORY = 2 << 30  # bytes for each worker, which has PyTorch and a Chromium beside it
LATER = pytest.StashKey[int]()  # how many tests the quick set leaves out
# These folders take longest, so they begin first, and short files end the run. While a
# worker builds the site, others compile kernels, so that no browser waits for it.
FIRST = "tests/site/", "tests/kernels/", "tests/alone/", "tests/browser/"
# One worker runs a whole folder of these, because its files read the same pages, or ask
# which test kills which wrong variant.
TOGETHER = "tests/site/", "tests/pitfalls/"

for profile, examples in (("quick", 15), ("full", 60)):  # the same ones every time
    settings.register_profile(
        profile, derandomize=True, deadline=None, database=None, max_examples=examples
    )


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config):
    """A worker for each core, and one more, since browsers and programs are waited for.

    A few files or tests begin sooner in the process at hand.
    """
    folders = whole(config) or all(map(os.path.isdir, config.args))
    if config.option.keyword or not folders:
        return 0
    affinity = getattr(os, "sched_getaffinity", None)
    room = [WORKERS, 1 + (len(affinity(0)) if affinity else os.cpu_count() or 1)]
    if hasattr(os, "sysconf"):
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        room.append(round(size / MEMORY))
    return min(room) if min(room) > 1 else 0


def pytest_addoption(parser):
    parser.addoption(
        "--full",
        action="store_true",
        help="run everything: browsers, every compiled kernel, all draws of every test",
    )


def whole(config):
    """Whether pytest was asked for all tests, and not for files, words or marks."""
    words = config.option.keyword or config.option.markexpr
    return [*config.args] == config.getini("testpaths") and not words


def quick(config):
    """Whether this is the quick set: nothing is named, and --full is not there."""
    return whole(config) and not config.option.full


def later(items):
    """The tests that the quick set leaves to `pytest --full`.

    They are those marked `full` or `browser`, and of the cases of a test marked
    `few(n)` all but n, which are spread evenly over the cases as they are written.
    """
    names = "full", "browser"
    left = [x for x in items if any(map(x.get_closest_marker, names))]
    cases = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("few"):
            cases[item.parent, item.originalname, mark.args[0]].append(item)
    for (_, _, n), group in cases.items():
        kept = {round(i * (len(group) - 1) / max(n - 1, 1)) for i in range(n)}
        left += [item for i, item in enumerate(group) if i not in kept]
    return {*left}


def pytest_configure(config):
    """A worker has one core, and so have the programs that it starts.

    All workers share the outputs that fresh.alone keeps. Kernels compile faster without
    the numbers of their lines.
    """
    os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
    settings.load_profile("quick" if quick(config) else "full")
    if hasattr(config, "workerinput"):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        return
    kept = TemporaryDirectory(prefix="tilewise-")
    os.environ["TILEWISE_RUNS"] = kept.name
    config.add_cleanup(kept.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is made here stays until the end: no use in looking for garbage in it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Keeps the quick set, unless everything or something else is asked for."""
    if quick(config):
        left = later(items)
        items[:] = [item for item in items if item not in left]
        config.stash[LATER] = len(left)
        config.hook.pytest_deselected(items=[*left])
    if hasattr(config, "workerinput"):

        def place(item):
            path = item.path.relative_to(ROOT).as_posix()
            return [not path.startswith(folder) for folder in FIRST]

        items.sort(key=place)


class ByFile(LoadFileScheduling):
    """Gives a worker one file at a time, or one folder of TOGETHER."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return next(filter(file.startswith, TOGETHER), file)


def pytest_xdist_make_scheduler(config, log):
    if config.getvalue("dist") == "loadfile":
        return ByFile(config, log)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["later"] = session.config.stash.get(LATER, 0)


def pytest_testnodedown(node):
    """Each worker collects everything, so each says the same number."""
    if number := getattr(node, "workeroutput", {}).get("later"):
        node.config.stash[LATER] = number


def pytest_terminal_summary(terminalreporter, config):
    if number := config.stash.get(LATER, 0):
        line = f"{number} tests were left for later; `pytest --full` runs them too."
        terminalreporter.write_line(line)


class Source(str):
    """The text of a block, which the plugin hands back to be run."""


def extract_from_file(path):
    """The Python blocks of the page, in the plugin's form."""
    made = []
    for block in blocks(path):
        code = Source(block.code)
        code.block = block
        made.append(CodeBlock(code, block.line, "python", expected_output=block.output))
    return made


plugin.extract_from_file = extract_from_file
plugin.exec = lambda code, _: run(code.block)  # found before the built-in exec
