"""The workflows: what they may do, what they run, and what zizmor says of them.

actionlint, the other reader of workflows, is run by the workflow `Audit`: its package
fetches the program from elsewhere while it is installed, which is not for every tester.
"""

import os
import re
import shutil
import subprocess
import sysconfig

import yaml
from every import every
from repository import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.y*ml"))
each_workflow = every("path", FILES, ids=lambda p: p.name)


def test_there_are_workflows():
    assert {"audit", "ci", "release", "weekly"} <= {p.stem for p in FILES}


def test_zizmor_finds_nothing():
    """Its strict persona: pins, rights, credentials, injection, concurrency, names."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    command = [shutil.which("zizmor", path=path), "--offline", "--persona=pedantic"]
    done = subprocess.run(
        [*command, "--no-progress", "--color=never", ".github"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


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


@each_workflow
def test_packages_come_by_hash(path):
    """Except where the newest are wanted."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    for job, what in workflow["jobs"].items():
        runs = "\n".join(step.get("run", "") for step in what.get("steps", []))
        for line in re.findall(r"pip install .*", runs):
            strict = "--require-hashes -r requirements-" in line or "--no-deps" in line
            assert strict or job in ("newest", "successor"), f"{job}: {line}"
