"""The book as one PDF: all pages in their order, links that stay within, an outline."""

import re
import subprocess
import sys
from collections import Counter
from html import unescape

import pypdfium2
import pytest
from built import SITE_URL, root
from pages import LANGS, ROOT, built, pages
from release import book

FEW = ["index.html", "softmax/online-softmax.html", "softmax/one-pass.html"]
each_language = pytest.mark.parametrize("language", LANGS)


def values(text, key, tag="[a-z][^ >]*"):
    """What an attribute says, wherever elements have it: no tree of a whole book."""
    return re.findall(rf'<{tag}(?: [^<>]*)? {key}="([^"]*)"', text)


@pytest.fixture(scope="module")
def whole(site):
    """{language: the whole book as HTML}."""
    homes = {x: site / root(x) for x in LANGS}
    return {x: book.book(home, book.order(home)) for x, home in homes.items()}


@each_language
def test_all_pages_are_in_it(language, site):
    names = [root(language) + x for x in book.order(site / root(language))]
    assert sorted(names) == sorted(map(built, pages(language)))
    assert names[0] == f"{root(language)}index.html"


@each_language
def test_links_stay_within(language, whole):
    """Each leads to one place in the book, or to a file of the site, or elsewhere."""
    ids = Counter(values(whole[language], "id"))
    assert [x for x, count in ids.items() if count > 1] == []
    links = set(map(unescape, values(whole[language], "href", "a")))
    inner = {x for x in links if x.startswith("#")}
    assert len(inner) > 100 and [x for x in inner if x[1:] not in ids] == []
    assert [x for x in links - inner if not re.match("https:|mailto:", x)] == []
    ours = [x for x in links if x.startswith(SITE_URL) and x.endswith(".html")]
    assert ours == [], "a page of this language, or of the other"


@each_language
def test_nothing_runs(language, whole):
    text = whole[language]
    assert re.findall("<(?:script|button|audio|video|iframe)[ >]", text) == []
    assert "headerlink" not in text
    exercises = re.findall(r"<tw-exercise[^>]*>\s*<(/?)", text)
    assert len(exercises) > 10 and all(exercises), "what asks for code"
    details = re.findall("<details[^>]*>", text)
    assert details and all(' open=""' in x for x in details)


@each_language
def test_equations_are_in_it(language, whole):
    """They are set aside while the book is made."""
    assert whole[language].count('<span class="katex">') > 1000
    assert book.ASIDE.findall(whole[language]) == []


@each_language
def test_a_few_pages_printed(language, browser, environment, site, tmp_path):
    """In a process of its own: Playwright allows one browser's loop in each."""
    home, target = site / root(language), tmp_path / "few.pdf"
    call = (
        "import sys, pathlib; from release import book; a, b, *names = sys.argv[1:]; "
    )
    call += "book.printed(pathlib.Path(a), pathlib.Path(b), names)"
    command = [sys.executable, "-X", "utf8", "-c", call, home, target, *FEW]
    how = {"cwd": ROOT / "scripts", "env": environment}
    subprocess.run(command, check=True, timeout=300, **how)
    assert not list(home.glob("book-*.html")), "it is left in the site"
    document = pypdfium2.PdfDocument(target)
    assert 8 < len(document) < 30
    headings = [x.get_title() for x in document.get_toc() if x.level == 0]
    titles = [book.read(home / x, "h1").h1.get_text().removesuffix("¶") for x in FEW]
    assert headings == titles
    places = [x.get_dest().get_index() for x in document.get_toc()]
    assert places == sorted(places) and places[0] == 2  # after cover and contents
