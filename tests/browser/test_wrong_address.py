"""A wrong address, at any depth: the page in its language, with a search that finds.

The site is served as it would be at its address: below a folder, 404.html in place of
what is not there.
"""

from urllib.parse import urlsplit

import pytest
from built import BASE
from pages import LANGS
from release.chromium import served

from .conftest import AtBoth

WORD = {"en": "rescale", "zh": "重新缩放"}
TITLE = {"en": "There is no such page", "zh": "没有这一页"}


class Host(AtBoth):
    """Serves the site below BASE, and the nearest 404.html for what is not there."""

    def send_error(self, code, message=None, explain=None):
        here = "zh/" if urlsplit(self.path).path.startswith(f"{BASE}zh/") else ""
        with open(self.translate_path(f"{BASE}{here}404.html"), "rb") as file:
            body = file.read()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def host(site):
    with served(site, Host) as address:
        yield address.rstrip("/")


@pytest.fixture
def lost(browser, host):
    """lost(path) opens a wrong address; what failed besides stands in .failed."""
    page = browser.new_page()
    page.failed = []
    page.on("response", lambda x: x.ok or page.failed.append(x.url))
    page.on("pageerror", lambda x: page.failed.append(str(x)))

    def lost(path):
        page.goto(f"{host}{BASE}{path}")
        return page

    yield lost
    page.close()


@pytest.mark.parametrize("lang", LANGS)
def test_page_for_a_wrong_address(lost, lang):
    root = "" if lang == "en" else f"{lang}/"
    for path in (f"{root}gone.html", f"{root}a/b/c/gone.html"):
        page = lost(path)
        title = page.locator("h1")
        assert title.inner_text() == TITLE[lang]
        assert title.evaluate("(x) => getComputedStyle(x).fontWeight") == "700"
    page.keyboard.press("/")
    page.keyboard.type(WORD[lang])
    page.keyboard.press("End")
    found = page.locator(".md-search-result__item a").first
    found.wait_for()
    assert urlsplit(found.get_attribute("href")).path.startswith(BASE + root)
    assert [x for x in page.failed if not x.endswith("/gone.html")] == []
    page.goto(page.locator(f"article [lang={lang}] a").evaluate("(x) => x.href"))
    assert page.locator("html").get_attribute("lang") == lang
    assert urlsplit(page.url).path == f"{BASE}{root}index.html"


@pytest.mark.parametrize("path", ["softmax/online_softmax.html", "onlinesoftmax"])
def test_it_names_pages_with_a_similar_address(lost, path):
    page = lost(path)
    found = page.locator(".tw-near a")
    assert found.first.get_attribute("href").endswith("/softmax/online-softmax.html")
    assert found.count() <= 3
    page = lost("a/qqqq")
    assert not page.locator(".tw-near").is_visible()


def test_a_function_that_moved_is_followed(lost):
    for name in ("tilewise.softmax", "tilewise.ledger.ring.flops"):
        page = lost(f"zh/reference/api.html#{name}")
        page.wait_for_url(f"**/zh/reference/api-plain.html#{name}")
        assert page.evaluate("(x) => !!document.getElementById(x)", name)
    page = lost("reference/api.html#tilewise.merge.merge")
    assert page.url.endswith("api.html#tilewise.merge.merge")
