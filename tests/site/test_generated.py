"""What code makes is what code makes now, and a page shows it."""

import os
import subprocess
import sys

import pytest
from pages import DOCS, INCLUDE, LANGS, ROOT, pages, read

FOLDER = DOCS / "generated"
# read by widgets and by readers' own tools, offered, or shown by others beside a link
NOT_INCLUDED = ("traces/", "live/", "numbers/", "alone/")
CARD = "social-card.svg"


def included(*langs):
    """The generated files that the pages of these languages include."""
    found = set()
    for page in pages(*langs):
        for path in INCLUDE.findall(read(page)[0]):
            if path.startswith("docs/generated/"):
                found.add(path.removeprefix("docs/generated/").partition(":")[0])
    return found


@pytest.mark.full
def test_generated_files_are_up_to_date():
    """If this fails: look at what changed, then run scripts/generate.py.

    A hash seed that the files were not written under: no order hangs on it.
    """
    command = [sys.executable, "-X", "utf8", "scripts/generate.py", "--check"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]


@pytest.mark.parametrize("lang", LANGS)
def test_pages_use_what_is_generated(lang):
    """No file is made for nothing; a page has the figures of its own language."""
    there = {p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*") if p.is_file()}
    other = ("/en/", "/zh/")[lang == "en"]
    there = {p for p in there if other not in p and not p.startswith(NOT_INCLUDED)}
    there = {p for p in there if not p.endswith(CARD)}
    assert there - included(lang) == set(), "made, but on no page"
    assert included(lang) - there == set(), "on a page, but not made"


NO_TORCH = """import runpy, sys
sys.modules["torch"] = None
sys.argv = ["scripts/generate.py", *sys.argv[1:]]
sys.path.insert(0, "scripts")
runpy.run_path("scripts/generate.py", run_name="__main__")"""


def generated(*names):
    """What generate.py did for some names, where PyTorch cannot be imported."""
    command = [sys.executable, "-X", "utf8", "-c", NO_TORCH, "--check", *names]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    ["tile_loop", "figures/en/tile-loop", "docs/generated/live/calculator-en.json"],
)
def test_a_name_is_made_alone_and_without_torch(name):
    done = generated(name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_unknown_name_gets_a_sentence_with_its_neighbours():
    done = generated("tile_lop")
    assert done.returncode == 1
    assert "the name tile_lop; near it: " in done.stderr and "tile_loop" in done.stderr


def test_a_program_that_fails_does_not_keep_the_others_from_being_made():
    """mask_kinds needs PyTorch; tile_loop, which is named beside it, does not."""
    done = generated("mask_kinds", "tile_loop")
    assert done.returncode == 1
    assert "figures/zh/mask-kinds.svg failed" in done.stderr
    assert "tile-loop" not in done.stdout + done.stderr
