"""The search: its index is loaded when a reader turns to it, and it finds pages.

tests/browser/queries holds what readers type, with the pages that they look for:
path|path: query. The queries were written before anything was tuned.
"""

import re
from pathlib import Path

import pytest
from repository import ROOT

WORDS = {"en": ("rescale", "index.html"), "zh": ("重新缩放", "zh/index.html")}
# The progress of reading follows the page's scrolling, and is never finished.
TIMED = "document.getAnimations().filter((x) => x.timeline === document.timeline)"
OPENED = f"Promise.allSettled({TIMED}.map((x) => x.finished))"
FIELD, RESULT = "[data-md-component=search-query]", ".md-search-result__item a"


def index(page):
    return [x for x in page.requested if x.endswith("search_index.json")]


def results(page, word):
    """What the search finds, typed into its field."""
    page.keyboard.type(word)
    page.keyboard.press("End")  # the theme listens for keys
    page.locator(RESULT).first.wait_for()
    return page.locator(RESULT).count()


@pytest.mark.parametrize("lang", WORDS)
def test_by_keyboard(visit, axe, lang):
    word, file = WORDS[lang]
    page = visit(file)
    page.wait_for_load_state("networkidle")
    assert index(page) == []
    page.keyboard.press("/")
    assert results(page, word) >= 3 and len(index(page)) == 1
    axe(page, ".md-search")
    page.locator(RESULT + ":not([href$='h='])").first.focus()  # a section of a page
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "h=" in url)
    if lang == "en":  # the theme marks no Chinese words
        page.locator("mark", has_text=word).first.wait_for(state="attached")


def test_by_mouse(visit, fits):
    page = visit("memory/calculator.html")
    page.locator(FIELD).click()
    assert results(page, "log-sum-exp") >= 3 and len(index(page)) == 1
    fits(page)
    page.locator(FIELD).fill("")
    page.locator(RESULT).first.wait_for(state="detached")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 900})
    page.locator("label.md-header__button[for=__search]").click()
    page.locator(FIELD + ":focus").wait_for()
    assert results(page, "log-sum-exp") >= 3 and len(index(page)) == 1
    page.evaluate(OPENED)  # the field comes out of a circle that grows beyond the page
    fits(page)


@pytest.mark.parametrize("lang", WORDS)
def test_from_a_folder(browser, site, lang):
    """Where no server answers, a frame takes the worker's place."""
    word, file = WORDS[lang]
    page = browser.new_page()
    page.set_default_timeout(60_000)
    wrong = []
    page.on("console", lambda line: wrong.append(line.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((site / file).as_uri())
    page.locator(FIELD).click()
    assert results(page, word) >= 3 and wrong == []
    page.close()


QUERIES = Path(__file__).parent / "queries"
ENTRY = re.compile(r"^### (.+?) \{ #[\w-]+ \}\n\n((?:.+\n?)+)", re.M)
PAGE = re.compile(r"\]\((?:\.\./)?([\w-]+(?:/[\w-]+)?)\.(?:md|py)")
# What each of these queries finds first, of the pages in softmax.
FIRST = {
    "en": {"softmax": "safe-softmax", "online softmax": "online-softmax"},
    "zh": {"softmax": "online-softmax", "在线softmax": "online-softmax"},
}
# The theme's own worker, as its page starts it; the pages of each query, best first,
# each with the title and the text that are shown of it.
ASK = """async (queries) => {
  const path = JSON.parse(document.querySelector("#__config").textContent).search;
  const index = await (await fetch("search/search_index.json")).json();
  const worker = new Worker(new URL(path, location.href));
  const ask = (message) => new Promise((done) => {
    worker.onmessage = ({ data }) => done(data);
    worker.postMessage(message);
  });
  await ask({ type: 0, data: { ...index, options: { suggest: false } } });
  const found = [];
  for (const query of queries) {
    const { data } = await ask({ type: 2, data: query });
    found.push(data.items.map(([{ location, title, text }]) =>
      [location.split(".html")[0], title, text]));
  }
  worker.terminate();
  return found;
}"""


def asked(page, queries):
    """What is not among the first three results: {query: those pages}."""
    found = page.evaluate(ASK, [query for query, _ in queries])
    firsts = [[place for place, *_ in got[:3]] for got in found]
    pairs = zip(queries, firsts, strict=True)
    return {x: got for (x, due), got in pairs if not due & {*got}}


@pytest.mark.parametrize("lang", WORDS)
def test_what_readers_type(visit, lang):
    lines = (QUERIES / f"{lang}.txt").read_text("utf-8").splitlines()
    pairs = [line.split(": ", 1) for line in lines]
    queries = [(query, {*pages.split("|")}) for pages, query in pairs]
    missed = asked(visit(WORDS[lang][1]), queries)
    assert len(queries) >= 100 and len(missed) <= 0.05 * len(queries), missed


@pytest.mark.parametrize("lang", WORDS)
def test_first_is_the_page_of_that_title(visit, lang):
    found = visit(WORDS[lang][1]).evaluate(ASK, [*FIRST[lang]])
    firsts = [got[0][0].removeprefix("softmax/") for got in found]
    assert firsts == [*FIRST[lang].values()]


@pytest.mark.parametrize("lang", WORDS)
def test_what_is_shown_has_what_was_found(visit, lang):
    """A word that a reader typed is in the title or in the first lines of each hit."""
    for got in visit(WORDS[lang][1]).evaluate(ASK, ["softmax", "HBM", "Triton"]):
        seen = [(place, title + text[:110]) for place, title, text in got]
        assert len(seen) > 10 and [x for x in seen if "<mark>" not in x[1]] == []


@pytest.mark.parametrize("lang", WORDS)
def test_terms_of_the_glossary(visit, lang):
    """Each leads to its entry, to the page that its entry links, or to its lesson."""
    text = (ROOT / f"docs/{lang}/reference/glossary.md").read_text("utf-8")
    entries = ENTRY.findall(text)
    entry = "reference/glossary"
    queries = [(title, {entry, *PAGE.findall(text)}) for title, text in entries]
    lessons = {"Softmax": "softmax/online-softmax"}
    queries = [(x, pages | {lessons.get(x, entry)}) for x, pages in queries]
    assert len(queries) > 90 and asked(visit(WORDS[lang][1]), queries) == {}
