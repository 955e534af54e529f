"""Say under each work on the references page which pages of the site name it.

A page names a work if it links to its address, to a page below that address, or to its
entry, or if it writes the name of its repository, such as Dao-AILab/flash-attention.
"""

import re
from os.path import normpath
from pathlib import Path

PAGE = "reference/references.html"
SAID = {"en": ("Named on: {}", "{}", "; "), "zh": ("提到它的页面：{}", "《{}》", "")}
MANY, FOLDED = 6, {"en": "Named on {} pages", "zh": "提到它的页面有 {} 个"}
ENTRY = re.compile(r'<dt id="([^"]+)">(.*?)</dt>\s*<dd>(.*?)</dd>', re.S)
HREF = re.compile(r'<a [^>]*?href="([^"]+)"')
MENU = re.compile(
    r'<a href="([^"#]+\.html)" class="md-nav__link">'
    r'\s*<span class="md-ellipsis">\s*(.*?)\s*</span>',
    re.S,
)
ARTICLE = re.compile(r"<article.*</article>", re.S)
PAPER = re.compile(
    r"arxiv\.org/(?:abs|pdf)/([\w.]+?)(?:v\d+)?(?:\.pdf)?$|doi\.org/(.+)"
)
THREAD = re.compile(r"^(github\.com/[^/]+/[^/]+)/(?:issues|pull|discussions)\b.*")


def key(address):
    """Its arXiv number or DOI, or the address without what varies between links."""
    if paper := PAPER.search(address):
        return paper[1] or paper[2]
    path = re.sub(r"^https?://|[#?].*$", "", address)
    if path.startswith("openreview.net"):
        return address.partition("://")[2]
    path = re.sub(r"(/index)?\.html$|/$", "", path)
    return THREAD.sub(r"\1", path)


def works(page):
    """{key of an address: the anchor of its entry} of the references page."""
    entries = ENTRY.findall(page)
    return {key(a): anchor for anchor, work, _ in entries for a in HREF.findall(work)}


def named(article, known):
    """The anchors of the works that an article names."""
    found = set(re.findall(r'references\.html#([^"]+)"', article))
    for address in HREF.findall(article):
        longest = ""
        for start in known if address.startswith("http") else ():
            if f"{key(address)}/".startswith(f"{start}/"):
                longest = max(longest, start, key=len)
        found |= {known[longest]} if longest else set()
    for start, anchor in known.items():
        if start.startswith("github.com/") and start.count("/") == 2:
            found |= {anchor} if start.removeprefix("github.com/") in article else set()
    return found


def listed(links, language):
    """The links to the pages that name a work, folded where there are many."""
    said, _, comma = SAID[language]
    if len(links) <= MANY:
        return f'<p class="tw-named">{said.format(comma.join(links))}</p>'
    inside = f"<summary>{FOLDED[language].format(len(links))}</summary>"
    return f'<details class="tw-named">{inside}<p>{comma.join(links)}</p></details>'


def added(site, texts, language):
    """The references page with the pages that name each work, from {path: text}."""
    page = texts[site / PAGE]
    known, where = works(page), {}
    called = SAID[language][1]
    for address, title in dict(MENU.findall(page)).items():
        path = (site / PAGE).parent / address
        article = ARTICLE.search(texts[Path(normpath(path))])
        for anchor in named(article[0], known):
            link = called.format(f'<a href="{address}">{title}</a>')
            where.setdefault(anchor, []).append(link)

    def entry(match):
        if match[1] not in where:
            return match[0]
        pages = listed(where[match[1]], language)
        return match[0].removesuffix("</dd>") + pages + "</dd>"

    return ENTRY.sub(entry, page)
