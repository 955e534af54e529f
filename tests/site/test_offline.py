"""The same commit gives the same site, byte for byte, wherever it is built; its zip."""

import hashlib
import os
import shutil
import subprocess
import sys
from zipfile import ZipFile

import pytest
from release import offline
from repository import ROOT

FOLDERS = ["docs", "src", "scripts", "benchmarks"]
OTHERWISE = {"TZ": "Pacific/Auckland", "COLUMNS": "200", "PYTHONHASHSEED": "1"}
EPOCH = 1_750_000_001  # an odd second: a zip keeps even ones


@pytest.fixture(scope="module")
def again(build, reader, tmp_path_factory):
    """A second build: from a copy, in other folders, another time zone and order."""
    if os.environ.get("TILEWISE_SITE") and "SOURCE_DATE_EPOCH" not in os.environ:
        pytest.skip("the site was built before, who knows with which date")
    folder = tmp_path_factory.mktemp("copy")
    leave = shutil.ignore_patterns("__pycache__")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=leave)
    for path in ROOT.glob("mkdocs*.yml"):
        shutil.copy(path, folder)
    where = ["git", "rev-parse", "--absolute-git-dir"]  # for the dates of pages
    found = subprocess.run(where, cwd=ROOT, capture_output=True, encoding="utf-8")
    there = {} if found.returncode else {"GIT_DIR": found.stdout.strip()}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", folder / "a/site"],
        cwd=folder,
        env=reader | OTHERWISE | there,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "a/site"


def digests(site):
    files = {p.relative_to(site): p for p in site.rglob("*") if p.is_file()}
    return {x: hashlib.sha256(p.read_bytes()).hexdigest() for x, p in files.items()}


@pytest.mark.full
def test_two_builds_are_the_same(site, again):
    first, second = digests(site), digests(again)
    assert first.keys() == second.keys() and len(first) > 100
    assert [str(path) for path in first if first[path] != second[path]] == []


@pytest.mark.full
def test_two_zips_are_the_same(site, again, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    made = [tmp_path / folder / "tilewise.zip" for folder in "ab"]
    for folder, target in zip((site, again), made):
        offline.pack(folder, target)
    first, second = (hashlib.sha256(x.read_bytes()).hexdigest() for x in made)
    assert first == second


def test_the_zip_is_the_site(site, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    offline.pack(site, tmp_path / "tilewise.zip")
    with ZipFile(tmp_path / "tilewise.zip") as zipped:
        zipped.extractall(tmp_path)
    assert digests(tmp_path / "tilewise") == digests(site)
    said = (tmp_path / "tilewise.zip.sha256").read_text("utf-8").split()
    made = hashlib.sha256((tmp_path / "tilewise.zip").read_bytes()).hexdigest()
    assert said == [made, "tilewise.zip"]
