"""A pytest plugin: which tests run which lines of src, and how long each takes.

What a fixture that many tests share runs, and what a file runs while it is read, is
every test's of that file. Writes $MUTATION/cover.json.
"""

import json
import os
import time
from pathlib import Path

import coverage
import pytest

WORK = Path(os.environ["MUTATION"])
SOURCE = Path("src/tilewise").resolve()
COVERAGE = coverage.Coverage(source=[str(SOURCE)], data_file=None, config_file=False)
COVERAGE.set_option("run:disable_warnings", ["no-data-collected"])  # tests of others
seconds, failed = {}, []


def pytest_configure(config):
    COVERAGE.start()
    COVERAGE.switch_context("begin")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    if isinstance(collector, pytest.Module):
        COVERAGE.switch_context(collector.nodeid)
    result = yield
    COVERAGE.switch_context("begin")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    COVERAGE.switch_context(item.nodeid)
    start = time.process_time()
    result = yield
    seconds[item.nodeid] = time.process_time() - start
    COVERAGE.switch_context("begin")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    if fixturedef.scope == "function":
        return (yield)
    own = request.node.nodeid if fixturedef.scope != "session" else ""
    COVERAGE.switch_context(own.partition("::")[0] or request._pyfuncitem.nodeid)
    try:
        return (yield)
    finally:
        COVERAGE.switch_context(request._pyfuncitem.nodeid)


def pytest_runtest_logreport(report):
    if not report.passed:
        failed.append(report.nodeid)


def file_of(context):
    """The test file of a context, which is a test, a file or "begin"."""
    return context.partition("::")[0]


def merged(old, seconds, lines):
    """What was known before of files that were not run now, and what was found now."""
    now = {file_of(name) for name in seconds}
    kept = {name: x for name, x in old["seconds"].items() if file_of(name) not in now}
    for module, rows in old["lines"].items():
        for line, contexts in rows.items():
            more = [x for x in contexts if file_of(x) not in now]
            found = lines.setdefault(module, {}).setdefault(int(line), [])
            found += [x for x in more if x not in found]
    return {"seconds": kept | seconds, "lines": lines}


def pytest_sessionfinish(session):
    COVERAGE.stop()
    data, lines = COVERAGE.get_data(), {}
    for file in data.measured_files():
        name = Path(file).relative_to(SOURCE).as_posix()
        lines[name] = data.contexts_by_lineno(file)
    passed = {name: x for name, x in seconds.items() if name not in failed}
    path = WORK / "cover.json"
    old = {"seconds": {}, "lines": {}}
    old = json.loads(path.read_text("utf-8")) if path.exists() else old
    path.write_text(json.dumps(merged(old, passed, lines)), "utf-8")
