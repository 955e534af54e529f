"""pytest runs the code blocks of every page below docs as the reader sees them.

pytest-codeblocks collects and reports. What a block is, and how it runs, is decided in
tests/site/codeblocks.py: the plugin alone skips fences it does not know without a word
and takes an include for Python.

Folders are run on several cores. pytest-xdist hands out files: the tests of one stay
together, in their order, so that what a module's fixture makes is made once.
"""

import os
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_codeblocks.plugin as plugin
from codeblocks import blocks, run
from pytest_codeblocks.main import CodeBlock
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parent
MOST = 4  # workers
LATER = pytest.StashKey[int]()  # how many tests the quick set leaves out
MEMORY = 2 << 30  # bytes for each: it has PyTorch, and a Chromium beside it
LONG = [  # begun first, so that short files end the run; the first one builds the site
    "tests/site/test_build.py",
    "tests/site/test_listings.py",
    "tests/kernels/",
    "tests/browser/",
    "tests/site/test_generated.py",
]
TOGETHER = {  # in one worker: these read the same pages, as built or as written
    f"tests/site/test_{file}.py": group
    for group, files in {
        "built": "build links weight languages policy api lean found scripts",
        "written": "twins prose chinese codeblocks reference",
    }.items()
    for file in files.split()
} | {  # and these ask which test kills which wrong variant
    f"tests/pitfalls/test_{file}.py": "pitfalls" for file in ("page", "suite")
}


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config):
    """Single files and tests get 0: they begin sooner in the process that is there."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None  # xdist reads it
    if not (whole(config) or all(map(os.path.isdir, config.args))):
        return 0
    affinity = getattr(os, "sched_getaffinity", None)
    room = [MOST, len(affinity(0)) if affinity else os.cpu_count() or 1]
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
    """Whether pytest was asked for all tests, and not for files, tests or words."""
    words = (
        getattr(config.option, "keyword", ""),
        getattr(config.option, "markexpr", ""),
    )
    return [*config.args] == config.getini("testpaths") and not any(words)


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
    """A core for each worker, and for the programs that it starts.

    What fresh.alone keeps is for this run of pytest, and for all its workers. Without
    their lines' numbers kernels are the same, and are compiled in an eighth less time.
    """
    os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
    if hasattr(config, "workerinput"):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        return
    kept = TemporaryDirectory(prefix="tilewise-")
    os.environ["TILEWISE_RUNS"] = kept.name
    config.add_cleanup(kept.cleanup)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """The quick set, unless more or less is asked for; the order of files for xdist."""
    if whole(config) and not config.option.full:
        left = later(items)
        items[:] = [item for item in items if item not in left]
        config.stash[LATER] = len(left)
        config.hook.pytest_deselected(items=[*left])
    if hasattr(config, "workerinput"):

        def place(item):
            path = item.path.relative_to(ROOT).as_posix()
            return [not path.startswith(x) for x in LONG]

        items.sort(key=place)


class ByFile(LoadFileScheduling):
    """Hands out files, and those of TOGETHER as one: a page is then parsed once."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return TOGETHER.get(file, file)


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
