"""Print the built site as one PDF a language, by the Chromium that is there.

    mkdocs build --strict
    python scripts/release/book.py site dist/tilewise-en.pdf en

All pages in the order of the navigation, each on a new sheet, with the style sheets of
the site: links between pages stay links, headings become the PDF's outline. Scripts do
not run: what stands in a widget's place is printed. Chinese needs a font that has it.
"""

import os
import posixpath
import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup, SoupStrainer
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scripts
from release import chromium

DROPPED = {"script", "button", "audio", "video"}
EQUATION, SPAN = '<span class="katex">', re.compile(r"<(/?)span\b[^>]*>")
ASIDE = re.compile("\ue000(\\d+)\ue001")  # in place of an equation
REFERS = {"for", "aria-labelledby", "aria-describedby", "aria-controls"}
FOOT = """<div style="width:100%;font-size:8px;text-align:center">
<span class="pageNumber"></span></div>"""
STYLE = """.tw-part { break-before: page; }
.tw-cover { padding-top: 60mm; text-align: center; break-after: page; }
.tw-cover svg { width: 170mm; height: auto; }
.md-typeset .tw-contents { columns: 2; margin: 0; list-style: none; }
[dir] .md-typeset .tw-contents li { margin: 0 0 .2em; }"""


def aside(text, equations):
    """A page with a sign for each equation: half of all pages, and as it is printed."""
    parts, at = [], 0
    while (start := text.find(EQUATION, at)) >= 0:
        depth = 0
        for span in SPAN.finditer(text, start):
            depth += -1 if span[1] else 1
            if not depth:
                break
        parts += [text[at:start], f"\ue000{len(equations)}\ue001"]
        at = span.end()
        equations.append(text[start:at])
    return "".join(parts) + text[at:]


def read(path, only=None, equations=None):
    """A built page, or the elements of one name in it: the menu is most of a page.

    Its equations are added to a list, if there is one, and stand in the page as signs.
    """
    text = path.read_text("utf-8")
    if equations is not None:
        text = aside(text, equations)
    strainer = only and SoupStrainer(only)
    return BeautifulSoup(text, "html.parser", parse_only=strainer)


def order(home):
    """The pages of a language in the order of the navigation."""
    links = read(home / "index.html").select(".md-nav--primary .md-nav__item > a[href]")
    names = [posixpath.normpath(x["href"]) for x in links if "#" not in x["href"]]
    return list(dict.fromkeys(names))


def mark(name, anchor=""):
    """The id, in the book, of a page and of a place on it."""
    return f"{name.removesuffix('.html').replace('/', '--')}--{anchor}"


def address(name, href, names, site_url):
    """Where a link leads: within the book, or to the site, or elsewhere."""
    path, _, anchor = href.partition("#")
    if ":" in path.partition("/")[0]:
        return href
    folder = posixpath.dirname(name)
    file = posixpath.normpath(posixpath.join(folder, path)) if path else name
    return f"#{mark(file, anchor)}" if file in names else site_url + file


def dropped(node):
    """Whether it is pressed, played or run, or stands in an exercise."""
    kinds = node.attrs.get("class", ())
    inside = node.parent.name == "tw-exercise"
    return node.name in DROPPED or inside or "headerlink" in kinds


def inwards(article, name, names, site_url):
    """Make a page's ids its own within the book, and its links lead there."""
    for node in article.find_all(True):
        held = node.attrs
        if "id" in held:
            held["id"] = mark(name, held["id"])
        for key in REFERS & held.keys():
            held[key] = " ".join(mark(name, x) for x in held[key].split())
        href = held.get("href")
        if node.name == "use" and href and href.startswith("#"):
            held["href"] = f"#{mark(name, href[1:])}"
        elif node.name == "a" and href is not None:
            held["href"] = address(name, href, names, site_url)


def chapter(article, name, names, site_url):
    """A page's article as a part of the book."""
    for node in filter(dropped, article.find_all(True)):
        node.extract()
    inwards(article, name, names, site_url)
    for node in article.find_all("details"):
        node["open"] = ""
    inside = article.decode_contents()
    return f'<section class="tw-part" id="{mark(name)}">{inside}</section>'


def book(home, names):
    """These pages of a language as one page of HTML, to stand beside index.html."""
    front = read(home / "index.html")
    site_url = front.select_one("link[rel=canonical]")["href"]
    sheets = "".join(map(str, front.select("link[rel=stylesheet]")))
    equations = []
    articles = {x: read(home / x, "article", equations).article for x in names}
    titles = {x: a.h1.get_text().removesuffix("¶") for x, a in articles.items()}
    items = [
        f'<li><a href="#{mark(x)}">{title}</a></li>' for x, title in titles.items()
    ]
    parts = "".join(chapter(a, x, names, site_url) for x, a in articles.items())
    parts = ASIDE.sub(lambda sign: equations[int(sign[1])], parts)
    title = front.select_one("meta[property='og:site_name']")["content"]
    about = front.select_one("meta[property='og:image:alt']")["content"]
    return f"""<!doctype html><html lang="{front.html["lang"]}"><meta charset="utf-8">
<title>{title}: FlashAttention</title>{sheets}<style>{STYLE}</style>
<body dir="ltr" data-md-color-scheme="default"><div class="md-typeset">
<div class="tw-cover"><img src="assets/social-card.png" alt="{title}" width="640">
<p>{about}</p><p><a href="{site_url}">{site_url}</a></p></div>
<ul class="tw-contents">{"".join(items)}</ul>{parts}</div>"""


def printed(home, target, names):
    """Write these pages of a language as a PDF."""
    path = chromium.find()
    if not path:
        sys.exit("Chromium prints the book, and there is none")
    target.parent.mkdir(parents=True, exist_ok=True)
    file = home / f"book-{os.getpid()}.html"  # gone when it is printed
    file.write_text(book(home, names), "utf-8")
    with sync_playwright() as playwright:
        launch = playwright.chromium.launch
        browser = launch(executable_path=path, args=chromium.FLAGS)
        page = browser.new_page(java_script_enabled=False)
        page.goto(file.resolve().as_uri())
        page.pdf(
            path=target,
            format="A4",
            outline=True,
            tagged=True,
            display_header_footer=True,
            header_template="<i></i>",
            footer_template=FOOT,
        )
        browser.close()
    file.unlink()


if __name__ == "__main__":
    site, target, language = sys.argv[1:]
    home = Path(site) / ("" if language == "en" else language)
    printed(home, Path(target), order(home))
