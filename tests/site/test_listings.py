"""A listing pasted into an empty file runs alone, and so does a notebook."""

import subprocess
import sys

import pytest
from codeblocks import NO_TRITON, blocks
from generate import environment, lacks_triton
from pages import ROOT, cells, name, pages


def programs():
    """{(text, output): the first place that shows it}, for the README and all pages."""
    found = {}
    for page in [ROOT / "README.md", *pages()]:
        if page.suffix == ".py":
            found.setdefault(("\n\n".join(cells(page)) + "\n", None), name(page))
            continue
        for block in blocks(page):
            if not block.excerpt:
                place = f"{name(page)}:{block.line}"
                found.setdefault((block.code, block.output), place)
    return found


def start(text, folder):
    """Run the text as a file of its own, in a folder of its own, without settings."""
    folder.mkdir()
    (folder / "listing.py").write_text(text, "utf-8")
    command = [sys.executable, "-I", "-X", "utf8", "-W", "error", "listing.py"]
    with open(f"{folder}.out", "wb") as out, open(f"{folder}.err", "wb") as err:
        return subprocess.Popen(
            command, cwd=folder, env=environment(), stdout=out, stderr=err
        )


@pytest.fixture(scope="module")
def outcome(request, tmp_path_factory):
    """outcome(program) -> (status, output, errors); the next one starts meanwhile."""
    queue = [
        item.callspec.params["program"]
        for item in request.session.items
        if "program" in getattr(item, "fixturenames", ())
    ]
    folder, running = tmp_path_factory.mktemp("listings"), {}

    def of(program):
        at = queue.index(program)
        for i in range(at, min(at + 2, len(queue))):
            if i not in running:
                running[i] = start(queue[i][0], folder / str(i))
        status = running[at].wait(120)
        texts = [(folder / f"{at}.{x}").read_text("utf-8") for x in ("out", "err")]
        return status, *texts

    yield of
    for process in running.values():
        process.kill()


@pytest.mark.parametrize("program", programs().keys(), ids=programs().values())
def test_listing_runs_alone(program, outcome):
    if lacks_triton(program[0]):
        pytest.skip(NO_TRITON)
    status, output, errors = outcome(program)
    assert status == 0, errors
    assert program[1] in (None, output)


def test_a_listing_without_its_imports_fails(tmp_path):
    assert start("import math\nprint(math.pi)\n", tmp_path / "a").wait() == 0
    assert start("print(math.pi)\n", tmp_path / "b").wait() == 1
    assert "NameError" in (tmp_path / "b.err").read_text("utf-8")
