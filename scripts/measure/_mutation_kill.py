"""A pytest plugin: runs the tests of each mutant in a process forked from this one.

This one has imported PyTorch and what tests need besides, nothing of tilewise and no
test. A child reads the mutant from its file, as its own children do, and imports
afresh; it runs the tests that reach the mutant's line, those of the file that killed
most so far first, and ends with the first that fails. Adds a line of
$MUTATION/done.jsonl for each mutant of $MUTATION/todo.json.
"""

import gc
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import defaultdict
from pathlib import Path

import hypothesis
import numpy  # noqa: F401
import pytest
import torch
from _mutation_tests import Tests

WORK, SOURCE = Path(os.environ["MUTATION"]), Path("src/tilewise").resolve()
MEMORY, WALL = 6 << 30, 600  # bytes, s: of a child
MOST = float(os.environ["MUTATION_MOST"])  # s: of all tests of a mutant
LONGEST = float(os.environ.get("MUTATION_LONGEST", 5))  # s: slower tests are not asked
SURVIVED, KILLED, BROKEN = 0, 1, 9  # a child's exit status


def together(plan):
    """{file or folder: tests}: fixtures of a folder's conftest are found once only."""
    found = defaultdict(list)
    for file, names in plan:
        folder = Path(file).parent
        own = folder.name != "tests" and (folder / "conftest.py").exists()
        found[str(folder) if own else file] += names
    return found


class Child:
    """A pytest plugin within a child: limits each test, and notes which one failed."""

    def __init__(self, note, seconds, shown):
        self.note, self.seconds, self.shown = note, seconds, shown

    def limit(self, name, seconds):
        os.pwrite(self.note, name.encode().ljust(2000)[:2000], 0)
        signal.setitimer(signal.ITIMER_PROF, seconds)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.limit(item.nodeid, 2 + 8 * self.seconds.get(item.nodeid, 0))

    def pytest_runtest_logreport(self, report):
        if report.failed and self.shown:
            print(report.longreprtext, flush=True)

    def run(self, session, plan):
        session.config.option.maxfail = 1
        for place, names in together(plan).items():
            self.limit(place, 30)
            wanted = {name: i for i, name in enumerate(names)}
            functions = dict.fromkeys(x.partition("[")[0] for x in names)
            try:
                items = session.perform_collect([*functions])
                session.items = [x for x in items if x.nodeid in wanted]
                session.items.sort(key=lambda x: wanted[x.nodeid])
                session.config.hook.pytest_runtestloop(session=session)
            except (session.Failed, session.Interrupted, pytest.UsageError):
                return KILLED  # maxfail, or a file that cannot be imported
            if session.testsfailed:
                return KILLED
        return SURVIVED


def quick():
    """No shrinking: one example that fails is enough. The tests' profile adds to it."""
    phases = hypothesis.Phase.explicit, hypothesis.Phase.generate
    hypothesis.settings.register_profile("mutation", phases=phases)
    hypothesis.settings.load_profile("mutation")


def in_child(session, plan, note, seconds, shown):
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.alarm(WALL)
    child = Child(note, seconds, shown)
    session.config.pluginmanager.register(child)
    return child.run(session, plan)


def forked(session, plan, note, seconds, shown=False):
    """(exit status or −signal, the test that ran last)."""
    os.pwrite(note, b" " * 2000, 0)
    if not (pid := os.fork()):
        status = BROKEN
        try:
            status = in_child(session, plan, note, seconds, shown)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    try:
        os.killpg(pid, signal.SIGKILL)  # what the child has left running
    except ProcessLookupError:
        pass
    status = os.waitstatus_to_exitcode(status)
    return status, os.pread(note, 2000, 0).decode().strip()


def write(path, text, when):
    """A file, and a time at which no bytecode of it was written."""
    path.write_text(text, "utf-8")
    os.utime(path, (when, when))


def asked(session, tests, note, mutant, index):
    """What became of a mutant."""
    path = SOURCE / mutant["module"]
    names = tests.of(mutant["module"], mutant["line"], mutant["last"])
    found = {"id": mutant["id"], "tests": len(names), "status": "no test"}
    if names:
        text, stat = path.read_text("utf-8"), path.stat()
        write(path, mutant["source"], 10**9 + 2 * index)
        start = time.monotonic()
        try:
            plan = tests.order(mutant["module"], names, MOST)
            status, last = forked(session, plan, note, tests.seconds)
        finally:
            write(path, text, stat.st_mtime)
        assert status != BROKEN, "a child could not run tests"
        kinds = {SURVIVED: "survived", KILLED: "killed"}
        found["status"] = kinds.get(status, "time")
        found["seconds"] = round(time.monotonic() - start, 3)
        if status != SURVIVED:
            found["by"] = last
            if "::" in last:
                tests.killed(mutant["module"], last)
    return found


def control(session, tests, note):
    """All tests pass in a child like those of mutants, where nothing was changed."""
    names = [x for x, seconds in tests.seconds.items() if seconds < LONGEST]
    plan = tests.order("control.py", names)
    status, last = forked(session, plan, note, tests.seconds, shown=True)
    assert status == SURVIVED, f"{last} fails without a mutant: {status}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Never goes on to collect: each child does."""
    sys.dont_write_bytecode = True
    assert not any(x.startswith("tilewise") for x in sys.modules)
    torch.set_num_threads(1)
    quick()
    tests = Tests(json.loads((WORK / "cover.json").read_text("utf-8")), LONGEST)
    todo = json.loads((WORK / "todo.json").read_text("utf-8"))
    note = os.open(WORK / "note", os.O_RDWR | os.O_CREAT)
    gc.collect()
    gc.freeze()
    if not (WORK / "done.jsonl").exists():
        control(session, tests, note)
    with open(WORK / "done.jsonl", "a", encoding="utf-8") as file:
        for index, mutant in enumerate(todo):
            file.write(json.dumps(asked(session, tests, note, mutant, index)) + "\n")
            file.flush()
    pytest.exit("all mutants were asked", 0)
