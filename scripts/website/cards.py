"""Link the first use of each term on a page to the glossary, whose words are a card.

A term's names are in its heading there, between commas and brackets. The link works
without scripts. Where they run, docs/assets/tilewise.js shows what the glossary says in
a card; it takes that from assets/terms.js, which no page loads before it is asked for.
"""

import html
import json
import re
from os.path import relpath
from pathlib import Path

from website import typed

PAGE = "reference/glossary.html"
ENTRY = re.compile(r'<h3 id="([^"]+)">(.*?)<a class="headerlink".*?<p>(.*?)</p>', re.S)
# Terms whose names mean something else as often, or that every page is about
ORDINARY = set(
    "host scale state trace race merge rank token mask fold unit rung in-place ledger"
    " reduction broadcast interpreter running-example forward-backward query-key-value"
    " padding flashattention softmax-function tile block-size producer stride running"
    " standard-attention delta normalization head-dimension empty-tile".split()
)
WITHOUT = {f"reference/{x}.html" for x in ("glossary", "references", "api")}
WITHOUT.add("404.html")
MOST = 2  # of the links in a paragraph, so that it is not spotted with them
TOKEN = re.compile(r"<[^>]+>|[^<]+")
TAG = re.compile(r"<(/?)([\w-]+)")
SKIPPED = re.compile(
    r"<(?:(?:a|button|code|details|figure|h\d|pre|script|summary|svg|table|tw-\w+)\b"
    r"|[^>]* class=\"arithmatex)"
)
ARTICLE = re.compile(r'(<article\b.*?)(?=<h2 id="sources"|</article>)', re.S)
TEX = re.compile(r'<span class="arithmatex"[^>]*>\\\((.*?)\\\)</span>', re.S)
RAISED = re.compile(r"([_^])\{([^}]*)\}")
LINKS = re.compile(
    r"\s*(?:<span[^>]*>)?(?:[\s,，、；·]*<a [^>]*>[^<]*</a>)+(?:</span>)?。?$"
)
PART = re.compile(r"<(code|em|sub|sup)>(.*?)</\1>", re.S)


def entries(page):
    """{anchor: (heading, definition)} of a glossary, in HTML."""
    return {anchor: (head, text) for anchor, head, text in ENTRY.findall(page)}


def names(heading):
    """The names of a term that are long enough to be found in a text."""
    parts = re.split(r"\s*[（）()、，,]\s*", html.unescape(heading))
    return [x for x in parts if len(x) > 1]


def finder(found):
    """A pattern for all names, the longer ones first, and {name: anchor}."""
    where = {}
    for anchor, (heading, _) in found.items():
        for name in names(heading) if anchor not in ORDINARY else ():
            both = {name}
            if re.match(r"[A-Z]?[a-z]", name):  # not HBM, which has one form only
                both = {f(name[0]) + name[1:] for f in (str.upper, str.lower)}
            where |= {x: anchor for x in both if x not in where}
    ordered = map(re.escape, sorted(where, key=len, reverse=True))
    edges = r"(?<![\w/.-])" + "(?:{})" + r"[sd]?(?![\w/-])"
    return re.compile(edges.format("|".join(ordered)), re.A), where


def linked(page, to, terms):
    """A page whose terms have a link where they are first used and there is room."""
    pattern, where = terms
    body = ARTICLE.search(page)
    used = set(re.findall(r'glossary\.html#([\w-]+)"', body[0] if body else ""))
    here = []  # of this paragraph

    def link(match):
        anchor = where.get(match[0]) or where.get(match[0][:-1])
        if anchor is None or anchor in used:
            return match[0]
        used.add(anchor)
        here.append(anchor)
        made = f'<a class="tw-term" href="{to}#{anchor}">{match[0]}</a>'
        return made if len(here) <= MOST else match[0]

    def walk(text):
        skipping, depth = "", 0
        for token in TOKEN.findall(text):
            closing, name = tag.groups() if (tag := TAG.match(token)) else ("", "")
            here[:] = [] if name in ("p", "li", "td", "dd") else here
            if depth:
                depth += (name == skipping) * (-1 if closing else 1)
            elif name and SKIPPED.match(token):
                skipping, depth = name, 1
            elif not name:
                token = pattern.sub(link, token)
            yield token

    return ARTICLE.sub(lambda match: "".join(walk(match[0])), page, count=1)


def readable(match):
    """A short equation as HTML without styles: e<sup>S − m</sup>."""
    tags = {"_": "sub", "^": "sup"}
    text = typed.read(match[1])
    return RAISED.sub(lambda x: "<{0}>{1}</{0}>".format(tags[x[1]], x[2]), text)


def parts(definition):
    """What a card says, without the links at its end: texts, and [tag, text]."""
    made, at = [], 0
    text = LINKS.sub("", TEX.sub(readable, definition))
    for part in [*PART.finditer(text), None]:
        plain = text[at : part.start() if part else len(text)]
        made.append(html.unescape(re.sub("<[^>]*>", "", plain)))
        if part:
            made.append([part[1], html.unescape(part[2])])
            at = part.end()
    return [x for x in made if x]


def added(home, pages):
    """{path: page} of a language with its links; beside them this writes the cards."""
    if home / PAGE not in pages:
        return pages
    found = entries(pages[home / PAGE])
    said = {anchor: parts(text) for anchor, (_, text) in found.items()}
    data = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    (home / "assets/terms.js").write_text(f"twTerms({data})", "utf-8")
    terms, made = finder(found), dict(pages)
    for path, page in pages.items():
        if path.relative_to(home).as_posix() not in WITHOUT:
            to = relpath(home / PAGE, path.parent)
            made[path] = linked(page, Path(to).as_posix(), terms)
    return made
