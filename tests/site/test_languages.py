"""The two languages of the built site know each other and keep apart."""

import json
import re
import xml.etree.ElementTree as ET

from built import ERRORS, FILES, SITE_URL, lang, root, soup, target, twin
from every import every
from pages import LANGS, built, pages

each_file = every("file", FILES)
each_page = every("file", [x for x in FILES if x not in ERRORS])
each_language = every("language", LANGS)
HAN = re.compile("[\u4e00-\u9fff]")


def served(file, address):
    """The file that a server gives for an address."""
    path = target(file, address)[0].removeprefix("./")
    return f"{path}index.html" if path.endswith("/") or not path else path


def alternates(file, site):
    """{language: file} as the page's head says for search engines."""
    links = soup(site / file).select("link[hreflang]")
    assert all(x["href"].startswith(SITE_URL) for x in links)
    return {x["hreflang"]: served(file, x["href"]) for x in links}


def index(site, language):
    path = site / root(language) / "search/search_index.json"
    return json.loads(path.read_text("utf-8"))


@each_page
def test_switch_stays_on_the_page(file, site):
    (switch,) = soup(site / file).select("a.tw-switch")
    assert target(file, switch["href"])[0] == twin(file)
    assert switch["hreflang"] == switch["lang"] == lang(twin(file))


@every("file", ERRORS)
def test_switch_of_an_error_page(file, site):
    (switch,) = soup(site / file).select("a.tw-switch")
    assert target(file, switch["href"])[0] == twin(root(lang(file)) + "index.html")


@each_page
def test_alternates_are_mutual(file, site):
    """hreflang: each page names itself and the other, and both say the same."""
    english = file if lang(file) == "en" else twin(file)
    wanted = {"en": english, "zh": twin(english), "x-default": english}
    assert alternates(file, site) == wanted == alternates(twin(file), site)


@each_page
def test_canonical(file, site):
    (link,) = soup(site / file).select("link[rel=canonical]")
    assert link["href"].startswith(SITE_URL) and served(file, link["href"]) == file


@each_language
def test_sitemap_lists_all_pages(language, site):
    tree = ET.parse(site / root(language) / "sitemap.xml")
    found = [
        x.text for x in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    ]
    assert all(x.startswith(SITE_URL) for x in found)
    assert sorted(served("", x) for x in found) == sorted(map(built, pages(language)))
    links = [x.get("href") for x in tree.iter("{http://www.w3.org/1999/xhtml}link")]
    assert len(links) == 2 * len(found) and {served("", x) for x in links} == {
        *FILES
    } - {*ERRORS}


@each_language
def test_search_stays_in_its_language(language, site):
    """Each index has the pages of its language, all of them, and no other."""
    docs = index(site, language)["docs"]
    found = {root(language) + x["location"].partition("#")[0] for x in docs}
    assert found == {*map(built, pages(language))}
    script = (site / root(language) / "search/search_index.js").read_text("utf-8")
    assert (
        json.loads(script.removeprefix("var __index = ").rstrip(";\n"))["docs"] == docs
    )


def test_english_search_has_no_chinese(site):
    for doc in index(site, "en")["docs"]:
        assert not HAN.search(doc["title"] + doc["text"]), doc["location"]


@every("term", ["分块", "在线 softmax", "注意力", "反向传播"])
def test_chinese_search_finds(term, site):
    """The index holds Chinese cut into words: a term is one or more whole words."""
    found = index(site, "zh")
    separator = re.compile(found["config"]["separator"])
    texts = (
        re.sub("<[^>]+>", " ", x["title"] + " " + x["text"]) for x in found["docs"]
    )
    cut = (f"|{'|'.join(separator.split(text))}|" for text in texts)
    whole = re.compile(r"\|" + r"\|?".join(re.sub(" ", "", term)) + r"\|")
    assert any(map(whole.search, cut))


@each_language
def test_search_knows_the_language(language, site):
    assert index(site, language)["config"]["lang"][0] == language


def test_each_page_says_where_it_stands(site):
    """Its part and its place in it, as in the menu; the front page says nothing."""
    for file in (x for x in FILES if x not in ERRORS):
        page = soup(site / file)
        said = [x.get_text() for x in page.select("article > .tw-part-of")]
        if file.removeprefix("zh/") == "index.html":
            assert said == [], file
            continue
        active = page.select_one(".md-nav--primary a.md-nav__link--active")
        item = active.find_parent("li")
        items = item.parent.find_all("li", recursive=False)
        part = item.find_parent("nav").select_one(".md-nav__title").get_text(strip=True)
        assert said == [f"{part} · {items.index(item) + 1}/{len(items)}"], file
