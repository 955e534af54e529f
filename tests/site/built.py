"""The built site: its files, what its pages refer to, and what each reference means."""

import os
import posixpath
import re
from functools import cache
from urllib.parse import unquote, urlsplit

from pages import LANGS, built, pages
from parsed import Page

# not at a root by default: this finds paths that should not be absolute
SITE_URL = os.environ.get("SITE_URL", "https://example.org/tilewise/")
BASE = urlsplit(SITE_URL).path
HOST = SITE_URL.removesuffix(BASE)
ERRORS = ["404.html", "zh/404.html"]
FILES = [*map(built, pages()), *ERRORS]
LOADING = re.compile("stylesheet|icon|preload|prefetch|preconnect|manifest|import")
CSS_URL = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


@cache
def soup(path):
    """A built page, parsed once."""
    return Page(path.read_text("utf-8"))


def lang(file):
    return "zh" if file.startswith("zh/") else "en"


def twin(file):
    """The same page in the other language: zh/a.html for a.html and back."""
    return file.removeprefix("zh/") if lang(file) == "zh" else f"zh/{file}"


def root(language):
    """The folder of a language within the site."""
    return "" if language == LANGS[0] else f"{language}/"


def loaded(page):
    """Every address that a browser fetches for a page by itself."""
    for node in page.select("[src], [srcset], [poster], object[data], [data-src]"):
        for key in ("src", "poster", "data", "data-src"):
            if node.get(key):
                yield node[key]
        for source in filter(str.strip, node.get("srcset", "").split(",")):
            yield source.split()[0]
    for node in page.select("link[href]"):
        if LOADING.search(" ".join(node["rel"])):
            yield node["href"]
    for node in page.select("use, image, feImage"):
        yield node.get("href") or node.get("xlink:href") or ""
    for node in page.select("style, [style]"):
        yield from css_urls(node.get("style") or node.get_text())


def css_urls(text):
    """What a style sheet loads, images within it apart."""
    found = (a or b for a, b in CSS_URL.findall(text))
    return [x for x in found if not x.startswith(("data:", "#"))]


def target(file, address):
    """(file, fragment) in the site that an address on a page means; None elsewhere.

    A folder stays a folder: without a server nothing opens its index.html.
    """
    parts = urlsplit(address)
    if parts.scheme and not address.startswith(SITE_URL):
        return None
    if parts.netloc or parts.path.startswith("/"):
        path = parts.path.removeprefix(BASE)
    elif parts.path:
        path = posixpath.join(posixpath.dirname(file), parts.path)
    else:
        path = file
    slash = "/" if parts.path.endswith(("/", "/.", "..")) or parts.path == "." else ""
    return unquote(posixpath.normpath(path) + slash), unquote(parts.fragment)
