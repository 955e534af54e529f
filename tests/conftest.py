"""One strict build of the whole site, without torch, for all tests of built pages."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from built import SITE_URL
from filelock import FileLock
from repository import ROOT

# Python runs a module of this name as it starts, in notebooks' kernels as well
NO_TORCH = """\
import sys


class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "triton"):
            raise ModuleNotFoundError(f"{name} is not part of the docs extra")


sys.meta_path.insert(0, NoTorch())
"""


def pytest_sessionstart(session):
    """Installs from npm before the workers begin, who would all do it at once."""
    if session.config.getoption("numprocesses", None):
        from website import equations

        equations.install()


@pytest.fixture(scope="session")
def reader(tmp_path_factory):
    """The environment of somebody who installed the docs extra alone."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "sitecustomize.py").write_text(NO_TORCH, "utf-8")
    quiet = {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"}
    date = {"SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "1750000000")}
    there = {"PYTHONPATH": str(folder), "SITE_URL": SITE_URL}
    return {**os.environ, **quiet, **date, **there}


@pytest.fixture(scope="session")
def build(reader, tmp_path_factory):
    """What `mkdocs build --strict` did: its status, its messages, the folder.

    All workers of pytest-xdist share one build: the first makes it, the others wait.
    TILEWISE_SITE names a site that was built before, with the same SITE_URL: so CI
    checks the very files that it deploys.
    """
    if ready := os.environ.get("TILEWISE_SITE"):
        return SimpleNamespace(status=0, log="", folder=ROOT / ready)
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    folder, said = shared / "site", shared / "site.json"
    with FileLock(shared / "site.lock"):
        if not said.exists():
            done = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", folder],
                cwd=ROOT,
                env=reader,
                capture_output=True,
                encoding="utf-8",
                timeout=900,
            )
            told = {"status": done.returncode, "log": done.stdout + done.stderr}
            said.write_text(json.dumps(told), "utf-8")
    return SimpleNamespace(**json.loads(said.read_text("utf-8")), folder=folder)


@pytest.fixture(scope="session")
def site(build):
    """The folder with the built site."""
    assert build.status == 0, build.log[-3000:]
    return build.folder
