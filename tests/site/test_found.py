"""What search results and shared links show of a page; the page for a wrong address."""

import json
import struct

from built import BASE, ERRORS, FILES, SITE_URL, lang, root, soup, target
from every import every
from pages import LANGS

PAGES = [x for x in FILES if x not in ERRORS]
each_file = every("file", FILES)
each_page = every("file", PAGES)
NAME = {"en": "Tilewise", "zh": "逐块"}
LOCALE = {"en": "en_US", "zh": "zh_CN"}
ROOM = 62  # of a title in a search result, in Latin characters; a Chinese one takes two


def tags(page):
    """{name: content} of the head's meta tags."""
    found = [(x.get("property") or x.get("name"), x) for x in page.select("head meta")]
    return {name: x["content"] for name, x in found if name}


def heading(page):
    """The page's first heading as text, without its anchor."""
    return page.h1.get_text().removesuffix("¶").strip()


@each_file
def test_title(file, site):
    """The heading, the subject, the site's name: what fits in a search result."""
    page = soup(site / file)
    title = page.title.get_text()
    assert sum(1 + (x >= "\u2e80") for x in title) <= ROOM, title
    assert title.startswith(heading(page)) and title.endswith(f" - {NAME[lang(file)]}")
    subject = file in ERRORS or "FlashAttention" in title
    assert subject or len(heading(page)) > (16 if lang(file) == "zh" else 34)


@every("language", LANGS)
def test_titles_differ(language, site):
    titles = [soup(site / x).title.get_text() for x in FILES if lang(x) == language]
    assert sorted(set(titles), key=titles.index) == titles


@each_page
def test_shared_link(file, site):
    """Open Graph says what the page says."""
    page = soup(site / file)
    said = tags(page)
    assert said["og:title"] == heading(page) and said["og:description"]
    assert said["og:description"] == said["description"]
    assert said["og:url"] == page.select_one("link[rel=canonical]")["href"]
    assert said["og:site_name"] == NAME[lang(file)]
    assert said["og:locale"] == LOCALE[lang(file)] != said["og:locale:alternate"]
    assert said["og:type"] == ("website" if file.endswith("index.html") else "article")
    assert said["twitter:card"] == "summary_large_image" and "robots" not in said


@each_page
def test_picture(file, site):
    """A PNG of the size that is said, of the page's own language, in colours."""
    said = tags(soup(site / file))
    assert said["og:image"] == f"{SITE_URL}{root(lang(file))}assets/social-card.png"
    data = (site / target(file, said["og:image"])[0]).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) < 100_000
    size = struct.unpack(">II", data[16:24])
    assert size == (1200, 630) and said["og:image:alt"]
    assert size == (int(said["og:image:width"]), int(said["og:image:height"]))


def test_each_language_has_its_picture(site):
    made = [(site / root(x) / "assets/social-card.png").read_bytes() for x in LANGS]
    assert made[0] != made[1]


@each_page
def test_structured_data(file, site):
    """JSON-LD, in the words of schema.org, with what stands on the page."""
    page = soup(site / file)
    (node,) = page.select("script[type='application/ld+json']")
    facts, said = json.loads(node.string), tags(page)
    assert facts["@context"] == "https://schema.org"
    assert facts["url"] == said["og:url"] and facts["image"] == said["og:image"]
    assert facts["description"] == said["description"]
    assert facts["inLanguage"] == lang(file)
    if file.endswith("index.html"):
        assert facts["@type"] == "WebSite" and facts["name"] == heading(page)
    else:
        assert facts["@type"] == "TechArticle" and facts["headline"] == heading(page)
        part = page.select_one(".md-nav__item--active > .md-nav__link .md-ellipsis")
        assert facts["articleSection"] == part.get_text(strip=True)
        assert target(file, facts["isPartOf"]["url"])[0].strip("./") == root(
            lang(file)
        ).strip("/")


def test_robots(site):
    """Everything may be read, and the sitemaps of both languages are there."""
    lines = (site / "robots.txt").read_text("utf-8").splitlines()
    assert lines[:2] == ["User-agent: *", "Allow: /"]
    maps = [x.removeprefix("Sitemap: ") for x in lines if x.startswith("Sitemap: ")]
    assert maps == [f"{SITE_URL}{root(x)}sitemap.xml" for x in LANGS]
    assert all((site / target("", x)[0]).is_file() for x in maps)
    assert not (site / "zh/robots.txt").exists()


@every("file", ERRORS)
def test_wrong_address(file, site):
    """Both languages, its own first: some hosts have one page for all."""
    page = soup(site / file)
    assert tags(page)["robots"] == "noindex"
    parts = page.select("article > div[lang]")
    order = sorted(LANGS, key=lambda x: x != lang(file))
    assert [x["lang"] for x in parts] == order
    assert [x.find(["h1", "h2"]).name for x in parts] == ["h1", "h2"]
    for part in parts:
        address = part.a["href"]
        assert address.startswith(BASE), "it may stand anywhere"
        assert target(file, address)[0] == f"{root(part['lang'])}index.html"
