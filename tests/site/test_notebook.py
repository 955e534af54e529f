"""The notebooks to download: one for each page with listings, and they run."""

import re

import nbformat
import pytest
from codeblocks import blocks
from every import every
from pages import LANGS, ROOT, cells, name, pages
from quality import notebooks
from website import carried, lessons

from tilewise.render.told_in_chinese import FILE, translated, words

STARTED = re.compile(r"%%writefile \S+\n")


def expected(page):
    """The programs of a page, with what it shows that they print."""
    if page.suffix == ".py":
        return [(code, "") for code in cells(page)]
    shown = [*blocks(page)]
    last = max((n for n, x in enumerate(shown) if x.excerpt and x.output), default=-1)
    shown = [x for n, x in enumerate(shown) if not x.excerpt or n <= last]
    return [(x.code.rstrip("\n"), (x.output or "").rstrip()) for x in shown]


def programs(book):
    """The code cells of a notebook but the first, with what is below them."""
    found = []
    for cell in book.cells:
        if cell.cell_type != "code" or "jupyter" in cell.metadata:
            continue
        if cell.source.startswith("!"):  # runs the file of the cell before
            found[-1] = found[-1][0], notebooks.printed(cell)
        else:
            found.append((STARTED.sub("", cell.source), notebooks.printed(cell)))
    return found


WITH_LISTINGS = [
    page
    for page in pages()
    if page.suffix == ".py" or not all(x.excerpt for x in blocks(page))
]
LEFT = re.compile(  # what only the site's own Markdown knows
    r"\\[()]|\{ [#.]|\?\?\? |\.md\b|--8<--|\{\{ |<(?:figure|svg|div|tw-)"
)


@every("page", WITH_LISTINGS, ids=name)
def test_a_page_with_listings_has_them_in_a_notebook(site, page):
    """Valid, the listings to the letter, their outputs, a link on the page."""
    lang, path = name(page).partition("/")[::2]
    file = (site / ("" if lang == "en" else lang) / path).with_suffix(".ipynb")
    book = nbformat.read(file, 4)
    nbformat.validate(book)
    assert book.metadata["kernelspec"]["name"] == "python3"
    wanted = expected(page)
    if lang == "zh" and page.suffix == ".md":
        wanted = [(translated(x, words(ROOT / FILE)), y) for x, y in wanted]
    assert programs(book) == wanted
    assert f'href="{file.name}"' in file.with_suffix(".html").read_text("utf-8")
    texts = [x.source for x in book.cells if x.cell_type == "markdown"]
    text = re.sub(r"^```.*?^```", "", "\n".join(texts), flags=re.M | re.S)
    assert not LEFT.findall(re.sub(r"`[^`]*`", "", text))
    assert text.count("$$") % 2 == 0 and text.replace("$$", "").count("$") % 2 == 0


@pytest.mark.full
@pytest.mark.parametrize("page", ["softmax/online-softmax", "softmax/merging"])
def test_it_runs_in_an_empty_folder(site, page):
    """The weekly workflow runs them all: scripts/quality/notebooks.py."""
    assert not notebooks.wrong(site / f"{page}.ipynb")


def test_the_tables_that_a_module_reads_are_carried_too():
    _, paths = carried.used(("from tilewise.cli.doctor import judge\n",))
    assert {"judge.py", "findings.toml"} <= {x.name for x in paths}


@pytest.mark.full
def test_what_does_not_run_or_prints_something_else_is_found(tmp_path):
    for code, text in (("1 / 0", ""), ("print(1)", "2")):
        cell = nbformat.v4.new_code_cell(code)
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "a.ipynb")
        assert notebooks.wrong(tmp_path / "a.ipynb")


@pytest.mark.parametrize("lang", LANGS)
def test_their_names_are_announced(lang):
    mine = [name(page)[3:] for page in WITH_LISTINGS if name(page)[:2] == lang]
    assert [*lessons.lessons(lang)] == [x.rpartition(".")[0] for x in mine]
