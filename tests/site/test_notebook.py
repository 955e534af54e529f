"""The notebook that readers download: valid, the page's own cells, plain Markdown."""

import re

import jupytext
import nbformat
import pytest
from pages import LANGS, ROOT

NAME = "flash-attention/worked-example"


@pytest.mark.parametrize("lang", LANGS)
def test_download(site, lang):
    book = nbformat.read(site / ("" if lang == "en" else lang) / f"{NAME}.ipynb", 4)
    nbformat.validate(book)
    assert book.metadata["kernelspec"]["name"] == "python3"
    page = jupytext.read(ROOT / f"docs/{lang}/{NAME}.py")
    kinds = [[x.cell_type for x in nb.cells] for nb in (book, page)]
    assert kinds[0] == [kind for kind in kinds[1] if kind != "raw"]
    code = [
        [x.source for x in nb.cells if x.cell_type == "code"] for nb in (book, page)
    ]
    assert code[0] == code[1]
    assert all(not x.get("outputs") for x in book.cells)
    text = "\n".join(x.source for x in book.cells if x.cell_type == "markdown")
    assert not re.search(r"\\[()]|\{ [#.]|\?\?\?|\.md\)|--8<--", text)
    assert text.count("$$") % 2 == 0 and text.replace("$$", "").count("$") % 2 == 0
