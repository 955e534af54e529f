"""Every Python block is collected, and none is typed into a page."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from textwrap import dedent

import pytest
from codeblocks import (
    CONSOLE,
    EXCERPT,
    LISTING,
    OUTPUT,
    TYPED,
    Block,
    blocks,
    fences,
    repeats,
    run,
    rungs,
)
from every import every
from generate import environment
from pages import DOCS, INCLUDE, ROOT, cells, html, name, pages

from tilewise.render.told_in_chinese import FILE, translated, words

README = ROOT / "README.md"
EOL = "\n"
FOLDERS = {
    LISTING: "src/tilewise/",
    EXCERPT: "src/tilewise/",
    OUTPUT: "docs/generated/outputs/",
    CONSOLE: "docs/generated/outputs/",
}
each_page = every("page", pages(), ids=name)


@every("page", [*pages(), README], ids=name)
def test_info_strings(page):
    """Four kinds of block, each written in one way; codeblocks.py lists them."""
    for fence in fences(page):
        known = fence.info in (LISTING, EXCERPT, OUTPUT, CONSOLE)
        assert known, f"line {fence.line}: no kind of block: ```{fence.info}"


@each_page
def test_the_site_shows_the_same_blocks(page):
    """What is run equals what Markdown makes of the page, block by block."""
    shown = [
        f"{block['class'][0].removeprefix('language-')}\n{block.get_text().strip(EOL)}"
        for block in html(page).select("div.highlight")
    ]
    if page.suffix == ".py":
        assert [f"python\n{c}" for c in cells(page)] == shown
        return
    kinds = {LISTING: "python", EXCERPT: "python", OUTPUT: "text", CONSOLE: "console"}
    assert [kinds[f.info] for f in fences(page)] == [
        s.partition("\n")[0] for s in shown
    ]
    python = [f"python\n{b.code.strip(EOL)}" for b in blocks(page)]
    if DOCS / "zh" in page.parents:
        python = [translated(x, words(ROOT / FILE)) for x in python]
    assert python == [s for s in shown if s.startswith("python\n")]
    pre = html(page).select("pre:not(tw-exercise pre)")  # tests/exercises run those
    assert len(pre) == len(shown), "an indented or raw code block"


@pytest.mark.full
def test_pytest_collects_every_block():
    """The plugin, its version, the options and conftest.py work together."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "docs", README]
    plain = {x: y for x, y in os.environ.items() if x != "PYTEST_ADDOPTS"}
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True)
    found = re.findall(r"^(.+\.md)::line (\d+)$", done.stdout, re.M)
    files = [README, *(p for p in pages() if p.suffix == ".md")]
    wanted = [
        (p.relative_to(ROOT).as_posix(), str(b.line)) for p in files for b in blocks(p)
    ]
    assert sorted(found) == sorted(wanted), done.stdout[-2000:] + done.stderr[-2000:]


@each_page
def test_code_is_included_not_typed(page):
    """Programs from the package, output from what they printed; commands are typed."""
    if page.suffix == ".py":
        return
    for fence in fences(page):
        for line in fence.lines:
            include = INCLUDE.fullmatch(line.strip())
            typed = not line.strip() or fence.info == CONSOLE and TYPED.match(line)
            fine = (
                typed or include and include[1].startswith(FOLDERS.get(fence.info, "?"))
            )
            assert fine, (
                f"line {fence.line}: {line!r} is not from {FOLDERS[fence.info]}"
            )


@each_page
def test_output_stands_below_its_program(page):
    infos = ["", *(fence.info for fence in fences(page))]
    for before, info in pairwise(infos):
        assert info != OUTPUT or before in (LISTING, EXCERPT)


@every("page", [p for p in pages() if p.suffix == ".py"], ids=name)
def test_notebook_cells_are_short(page):
    """A notebook calls the package; what it shows at length is tested elsewhere."""
    assert cells(page)
    assert any("from tilewise" in cell for cell in cells(page))
    for cell in cells(page):
        assert len([x for x in cell.splitlines() if x.strip()]) <= 6, cell


def test_no_other_markdown_holds_python():
    """Generated tables reach pages as Markdown: no fence may come in that way."""
    for path in DOCS.glob("generated/**/*.md"):
        assert not [*fences(path)], path


def test_excerpts_go_on_from_the_blocks_above(capsys):
    first = Block(1, False, "x = 1\nprint(x)\n", "1\n", ())
    run(first)
    run(Block(5, True, "print(x + 1)\n", "2\n", (first.code,)))
    assert capsys.readouterr().out == "1\n2\n"
    with pytest.raises(RuntimeError, match="NameError.*'x'"):
        run(Block(5, False, "print(x + 1)\n", "2\n", (first.code,)))


def test_blocks_above_run_once_for_excerpts_in_a_row(tmp_path, capsys):
    """Those of another page, or after one that failed, begin anew."""
    log = tmp_path / "log"
    first = f"x = []\nwith open({str(log)!r}, 'a') as f:\n    f.write('.')\n"
    grow, fail = "x.append(1)\nprint(x)\n", "x.append(2)\ny\n"
    for above, code, shown, runs in (
        ((first,), grow, "[1]\n", 1),
        ((first, grow), grow, "[1, 1]\n", 1),
        ((first,), grow, "[1]\n", 2),
        ((), "x = 0\nprint(x)\n", "0\n", 2),
    ):
        run(Block(5, True, code, shown, above))
        assert capsys.readouterr().out == shown and len(log.read_text()) == runs
    run(Block(5, True, grow, "[1]\n", (first,)))
    with pytest.raises(RuntimeError, match="NameError.*'y'"):
        run(Block(5, True, fail, "", (first, grow)))
    run(Block(5, True, grow, "[1, 1]\n", (first, grow)))
    assert capsys.readouterr().out == "[1]\n[1, 1]\n"


def test_an_excerpt_may_repeat_lines_of_a_function():
    listing = dedent("""\
        def f(x):
            y = x + 1

            return y
        """)
    assert repeats("return y\n", [listing])
    assert repeats("y = x + 1\n\nreturn y\n", [listing])
    assert not repeats("y = x + 2\n", [listing])
    run(Block(9, True, "return y\n", None, (listing,)))


def test_an_excerpt_may_be_cut_out_of_a_rung():
    """What stands in a kernel's file runs in tests/kernels, whole."""
    line = "    q, scale = positive(q, scale)\n"
    assert repeats(line, rungs()) and "--8<--" not in "".join(rungs())
    run(Block(9, True, line, None, ()))
    with pytest.raises(RuntimeError, match="NameError"):
        run(Block(9, True, line.replace("scale", "size").strip(), None, ()))


def test_kernels_run_in_a_process_of_their_own(capsys):
    """Excerpts too: what is printed above them is dropped."""
    code = "import triton\nprint(triton.knobs.runtime.interpret, __name__)\n"
    run(Block(9, True, code, "", ("print(1)\n",)))
    card = "TRITON_INTERPRET" not in environment()
    assert capsys.readouterr().out == f"{not card} __main__\n"
    with pytest.raises(RuntimeError, match="NameError.*'x'"):
        run(Block(9, False, "import triton\nx\n", None, ()))


def test_functions_of_a_block_have_source(capsys):
    code = "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))\n"
    run(Block(1, True, code, "", ()))
    assert capsys.readouterr().out == "def f():\n    return 1\n\n"
