"""Every address on a built page leads somewhere; no other host is asked."""

import json
import re
import subprocess
from functools import cache
from urllib.parse import urlsplit

from built import ERRORS, FILES, css_urls, lang, loaded, root, soup, target
from every import every
from pages import DOCS, ROOT, config
from website.changed import dates

each_file = every("file", FILES)
# what the theme's script would ask for a repository's stars, on GitHub or a GitLab, for
# mermaid diagrams, and in browsers older than 2020
THEME_HOSTS = {"api.github.com", "${e}", "unpkg.com"}


@cache  # as many pages lead to it
def ids(path):
    return {x["id"] for x in soup(path).select("[id]")} | {""}


@each_file
def test_links_within_the_site(file, site):
    """To a file, not a folder, so that they work without a server as well."""
    page = soup(site / file)
    for address in {a["href"] for a in page.select("a[href], area[href]")}:
        path, fragment = target(file, address) or ("404.html", "")
        assert (site / path).is_file(), f"{address}: there is no file {path}"
        if path.endswith(".html"):
            assert fragment in ids(site / path), f"{address}: no such place on {path}"


@each_file
def test_links_to_elsewhere_are_safe(file, site):
    found = {a["href"] for a in soup(site / file).select("a[href]")}
    outside = [x for x in found if not target(file, x)]
    assert [x for x in outside if urlsplit(x).scheme not in ("https", "mailto")] == []


@each_file
def test_what_a_page_loads(file, site):
    """Files of the site, by relative paths; an error page may stand anywhere."""
    addresses = [
        x for x in loaded(soup(site / file)) if not x.startswith(("data:", "#"))
    ]
    assert addresses
    for address in addresses:
        found = target(file, address)
        assert found and not urlsplit(address).netloc, f"{address}: from another host"
        assert (site / found[0]).is_file(), address
        assert file in ERRORS or not address.startswith("/"), f"{address}: not relative"


def test_style_sheets_load_nothing_from_elsewhere(site):
    for path in site.rglob("*.css"):
        here = path.relative_to(site).as_posix()
        for address in css_urls(path.read_text("utf-8")):
            found = target(here, address)
            assert found and (site / found[0]).is_file(), f"{here}: {address}"


@each_file
def test_scripts_on_the_page_name_no_host(file, site):
    for script in soup(site / file).select("script:not([src], [type*=ld])"):
        assert not re.search(r"https?://|['\"]//", script.get_text()), script.get_text()


def test_our_scripts_name_no_host():
    for path in DOCS.glob("assets/**/*.js"):
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|['\"]//", text), path  # that is a name


def test_the_theme_asks_no_host(site):
    """Its script knows some; without repo_url and diagrams no page gets there."""
    assert config().repo_url is None and "social" not in config().extra
    texts = [
        p.read_text("utf-8") for p in site.glob("assets/javascripts/bundle.*.min.js")
    ]
    calls = re.findall(r"[\"'`]https://([^/\"'`]+)", "".join(texts))
    assert texts and set(calls) <= THEME_HOSTS
    for file in FILES:
        page = soup(site / file)
        assert not page.select(".mermaid, [data-md-component=source], .md-source")
        options = json.loads(page.select_one("#__config").get_text())
        assert not options["version"] and not options["annotate"]


@every("folder", ["", "zh/"])
def test_opens_from_a_folder(folder, site):
    """Search without a server: the index is a script, the worker may be local."""
    index = (site / folder / "search/search_index.js").read_text("utf-8")
    assert index.startswith("var __index = {")
    for file in FILES:
        sources = [x["src"] for x in soup(site / file).select("script[src]")]
        assert any(x.endswith("/search.iframe-worker.js") for x in sources), file


@every("file", [x for x in FILES if x not in ERRORS])
def test_each_page_leads_to_its_source(file, site):
    """In the repository, or else in the site itself, which then is the page's text."""
    links = soup(site / file).select(".tw-about a")
    source, cite = links[0]["href"], links[-1]["href"]
    assert (site / target(file, cite)[0]).read_text("utf-8").startswith("@book{")
    if not source.startswith("http"):
        text = (site / target(file, source)[0]).read_text("utf-8")
        assert soup(site / file).h1.get_text().removesuffix("¶").strip()[:8] in text


@each_file
def test_each_page_says_when_it_was_changed(file, site):
    """The date of the last commit that touched it, where git knows all of them."""
    path = f"docs/{lang(file)}/{file.removeprefix('zh/').removesuffix('.html')}"
    known = {x: day for x, day in dates().items() if x.rpartition(".")[0] == path}
    said = [x.get_text() for x in soup(site / file).select(".tw-about time")]
    assert said == [*known.values()]
    if known and file.endswith("index.html"):
        log = ["git", "log", "-1", "--format=%cs", "--", *known]
        assert subprocess.check_output(log, cwd=ROOT, text=True).strip() in said


@each_file
def test_each_listing_leads_to_its_source(file, site):
    """To a file that has its lines, or most of them where several files make one."""
    page = soup(site / file)
    blocks = page.select(".language-python.highlight")
    for block in blocks:
        link = block.select_one("a.tw-from")
        if not link:  # a notebook's cells are typed on the page
            assert "worked-example" in file
            continue
        assert link["aria-label"]
        if link["href"].startswith("http"):  # the workflow says where the repository is
            assert re.search(r"/blob/main/src/.*\.py#L\d+-L\d+$", link["href"])
            continue
        text = (site / target(file, link["href"])[0]).read_text("utf-8")
        known = {line.strip() for line in text.splitlines()}
        lines = [x.strip() for x in block.select_one("code").get_text().splitlines()]
        assert sum(x in known for x in lines) > 0.4 * len(lines), link["href"]
    assert not page.select("[data-from]")


@cache
def terms(language, site):
    """The names of all terms, as the headings of the glossary have them."""
    page = soup(site / root(language) / "reference/glossary.html")
    heads = [x.get_text().removesuffix("¶") for x in page.select("article h3")]
    return {name for head in heads for name in re.split("[（、），]", head)}


@each_file
def test_each_term_has_one_link_at_its_first_use(file, site):
    """Its card is there; before it the word is part of other words, code or links."""
    page = soup(site / file)
    anchors = [x["href"].rpartition("#")[2] for x in page.select("a.tw-term")]
    assert len({*anchors}) == len(anchors)
    cards = (site / root(lang(file)) / "assets/terms.js").read_text("utf-8")
    assert json.loads(cards[len("twTerms(") : -1]).keys() >= {*anchors}
    names = terms(lang(file), site)
    above = ""
    for block in page.select("article p, article li"):
        if block.find_parent(["figure", "details", "table"]) or block.select("p, li"):
            continue
        for link in block.select("a.tw-term"):
            word, text = link.get_text(), above
            for longer in names:
                text = text.replace(longer, "") if word in longer != word else text
            assert not re.search(rf"(?<![\w/.-]){word}(?![\w/-])", text, re.A), word
        parts = [x for x in block.strings if not x.find_parent(["a", "code"])]
        above += "\n".join([*parts, ""])


@every("language", ["en", "zh"])
def test_most_pages_have_cards(language, site):
    files = [x for x in FILES if lang(x) == language]
    made = [len(soup(site / x).select("a.tw-term")) for x in files]
    assert sum(n >= 3 for n in made) > 0.6 * len(made) and max(made) < 60
