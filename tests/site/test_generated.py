"""What code makes is what code makes now, and a page shows it."""

import os
import subprocess
import sys

import pytest
from pages import DOCS, INCLUDE, LANGS, ROOT, pages, read

FOLDER = DOCS / "generated"
# read by widgets and by readers' own tools; shown by others beside a link
NOT_INCLUDED = ("traces/", "live/")
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
