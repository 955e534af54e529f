"""The glossary and the references: complete, and the same in both languages."""

import json
import re
from os.path import normpath
from pathlib import Path
from urllib.parse import urlsplit

from every import every
from pages import DOCS, LANGS, built, html, name, pages
from parsed import Page

from tilewise.hardware import SOURCES

GLOSSARY, REFERENCES = "reference/glossary.md", "reference/references.md"
TERMS = json.loads(Path(__file__).with_name("glossary.json").read_text("utf-8"))
IDENTIFIER = re.compile(
    r"arxiv\.org/(?:abs|pdf)/([\w.]+?)(?:v\d+)?(?:\.pdf)?$|doi\.org/(.+)"
)


def page(lang, path):
    return html(DOCS / lang / path)


def terms(lang):
    """{anchor: (term, definition)} of the glossary."""
    headings = page(lang, GLOSSARY).select("h3")
    return {h["id"]: (h.find(string=True), h.find_next_sibling()) for h in headings}


def works(lang):
    """{anchor: (what is cited, what is said of it)} of the references."""
    entries = page(lang, REFERENCES).select("dt")
    return {x.get("id"): (x, x.find_next_sibling("dd")) for x in entries}


def cited():
    """{address: pages} of every source outside that a page or the package names."""
    found = {}
    for path in pages():
        for a in html(path).select("a[href^='https:']"):
            found.setdefault(a["href"], []).append(path)
    for *_, address in SOURCES.values():
        if address.startswith("http"):
            found.setdefault(address, [])
    return found


def identity(address):
    """Its arXiv number or DOI, or the address without what comes after it."""
    if match := IDENTIFIER.search(address):
        return match[1] or match[2]
    if match := re.match(r".*//(github.com/[^/]+/[^/]+)/(issues|pull|disc)", address):
        return match[1]
    address = address.partition("://")[2].partition("#")[0]
    return address.removesuffix("/").removesuffix(".html").removesuffix("/index")


def entry(address):
    """The anchor of the work that an address is or lies in."""
    links = page("en", REFERENCES).select("dt a[href]")
    known = {identity(a["href"]): a.find_parent("dt")["id"] for a in links}
    fits = [x for x in known if identity(address).startswith(x)]
    return known[max(fits, key=len)] if fits else None


@every("lang", LANGS)
def test_every_term_has_a_definition_and_a_place(lang):
    """One to three sentences, then a link to where it is explained."""
    for anchor, (_, text) in terms(lang).items():
        assert text.name == "p" and len(text.get_text()) < 400, anchor
        assert text.select("a[href]"), anchor


def test_the_term_base_is_in_the_glossary():
    """Each Chinese term that the tests hold pages to stands as a heading."""
    headings = " ".join(term for term, _ in terms("zh").values())
    for term in TERMS:
        for part in re.split(r" / |（.*", term["chinese"]):
            assert part in headings, term


def test_references_are_the_same_works():
    english, chinese = works("en"), works("zh")
    assert [*english] == [*chinese] and None not in english
    for anchor, (work, _) in english.items():
        assert chinese[anchor][0].get_text() == work.get_text()


@every("lang", LANGS)
def test_every_reference_can_be_found_and_is_used(lang, site):
    """A title, a link to the work, and a page of this site."""
    for anchor, (work, _) in works(lang).items():
        assert work.em and work.select("a[href^='https://']"), anchor
    listed = named(site, lang)
    assert all(listed.values()), listed


def named(site, lang):
    """{anchor: pages} that the finished page of references links to under an entry."""
    path = site / built(DOCS / lang / REFERENCES)
    entries = Page(path.read_text("utf-8")).select("dd")
    return {
        x.find_previous_sibling("dt")["id"]: {
            normpath(path.parent / urlsplit(a["href"]).path)
            for a in x.select("a[href*='.html']")
            if ":" not in a["href"]
        }
        for x in entries
    }


@every("lang", LANGS)
def test_a_long_list_of_pages_is_folded(lang, site):
    """At least one work has more pages than a reader wants to see at once."""
    page = Page((site / built(DOCS / lang / REFERENCES)).read_text("utf-8"))
    assert page.select("details.tw-named") and page.select("p.tw-named")
    for node in page.select(".tw-named"):
        links = len(node.select("a"))
        assert (links > 6) == (node.name == "details"), links
        assert not node.summary or f" {links} " in node.summary.get_text()


def test_all_that_pages_cite_is_there_with_the_pages(site):
    listed = {lang: named(site, lang) for lang in LANGS}
    for address, where in cited().items():
        anchor = entry(address)
        assert anchor, (address, where)
        for path in where:
            pages = listed[path.relative_to(DOCS).parts[0]][anchor]
            here = normpath(site / built(path))
            assert name(path).endswith(REFERENCES) or here in pages, (address, here)
