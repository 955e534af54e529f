"""What a first visit and a first search cost, in bytes over the wire."""

import gzip
import json
import re
from functools import cache
from os.path import normpath
from pathlib import Path

from built import CSS_URL, ERRORS, FILES, loaded, root, soup, target
from every import every
from pages import LANGS
from widgets import ASSETS, loaded_by

PAGE, VISIT, SEARCH = 38_400, 220_000, 190_000
LONGER = {  # the longest equations, and tables with many of them
    "flash-attention/backward.html": 40_600,
    "gpu/backward-kernels.html": 41_800,
    "gpu/kernel-ladder.html": 40_000,
    "memory/many-gpus.html": 39_300,
}
SIDE = '<div class="md-sidebar md-sidebar--'
MENU = re.compile(f"{SIDE}primary.*?(?={SIDE}secondary)", re.S)
SCRIPTS, REQUESTS, FIGURE = 62_000, 26, 4_500
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
FONT = re.compile(r"KaTeX_\w+")


@cache  # all pages load the same files
def size(path):
    """Bytes of a file as a server sends it: compressed, except fonts and images."""
    data = path.read_bytes()
    plain = path.suffix in (".woff2", ".png", ".jpg", ".webp")
    return len(data) if plain else len(gzip.compress(data, 6))


def face(block):
    """(family, bold, italic) that a block of declarations asks for."""
    family = FONT.search(block)
    bold = re.search(r"font(?:-weight)?:[^;]*\b(?:bold|[6-9]00)", block)
    italic = re.search(r"font(?:-style)?:[^;]*\bitalic", block)
    return family[0] if family else "KaTeX_Main", bool(bold), bool(italic)


@cache
def faces(sheet):
    """{face: its file} and [(classes, the face they ask for)] of a style sheet."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.S)
    files, asked = {}, []
    for selectors, block in RULE.findall(text):
        if "@font-face" in selectors:
            if address := CSS_URL.search(block):
                path = Path(normpath(sheet.parent / address[1]))
                files[face(block) if FONT.search(block) else path.name] = path
        elif FONT.search(block) or "font-" in block and ".katex" in selectors:
            for selector in selectors.split(","):
                needed = set(re.findall(r"\.([\w-]+)", selector))
                asked.append((needed, face(block)))
    return files, asked


def fonts(sheets, page):
    """The font files of words, and those that some class on the page asks for."""
    classes = {x[1:] for x in page.index if x[0] == "."}
    files, wanted = {}, set()
    for there, asked in map(faces, sheets):
        files |= there
        wanted |= {which for needed, which in asked if needed <= classes}
    words = {path for name, path in files.items() if isinstance(name, str)}
    assert {x[0] for x in wanted} <= {x[0] for x in files}
    return words | {files[x] for x in wanted if x in files and "katex" in classes}


@cache
def visit(file, site):
    """{file: bytes} of all that a first visit loads; the worker of the search too."""
    page = soup(site / file)
    found = {
        site / target(file, x)[0] for x in loaded(page) if not x.startswith("data:")
    }
    found.add(site / file)
    shared = {path.relative_to(ASSETS) for path in loaded_by(page)}
    found |= {site / "assets" / path for path in shared}
    found |= fonts([x for x in found if x.suffix == ".css"], page)
    options = json.loads(page.select_one("#__config").get_text())
    found.add(site / target(file, options["search"])[0])
    return {path.relative_to(site).as_posix(): size(path) for path in found}


def searched(language, site):
    """{file: bytes} of all that the first search in a language loads besides."""
    home = site / root(language)
    found = {home / "search/search_index.json"}
    index = json.loads((home / "search/search_index.json").read_text("utf-8"))
    languages = [x for x in index["config"]["lang"] if x != "en"]
    names = [*languages, "stemmer.support"] if languages else []
    names += ["multi"] if len(index["config"]["lang"]) > 1 else []
    found |= {home / f"assets/javascripts/lunr/min/lunr.{x}.min.js" for x in names}
    return {path.relative_to(site).as_posix(): size(path) for path in found}


@every("file", FILES)
def test_page(file, site):
    """Without the menu, which grows with the book: it may have 2.4 kB of each page."""
    text = (site / file).read_text("utf-8")
    own = len(gzip.compress(MENU.sub("", text).encode(), 6))
    assert own <= LONGER.get(file.removeprefix("zh/"), PAGE)
    assert size(site / file) - own <= 2_400


@every("file", [x for x in FILES if x not in ERRORS])
def test_first_visit(file, site):
    parts = visit(file, site)
    largest = sorted(parts.items(), key=lambda x: -x[1])
    assert sum(parts.values()) <= VISIT, largest


@every("file", [x for x in FILES if x not in ERRORS])
def test_scripts_and_requests(file, site):
    """Before anything is played with; tests/browser counts what is asked for then."""
    parts = visit(file, site)
    scripts = {name: size for name, size in parts.items() if name.endswith(".js")}
    assert sum(scripts.values()) <= SCRIPTS, scripts
    assert len(parts) <= REQUESTS, sorted(parts)


@every("file", FILES)
def test_largest_figure(file, site):
    """A figure, or an animation of several, as its share of the compressed page."""
    for figure in soup(site / file).select("article figure svg"):
        data = gzip.compress(str(figure).encode(), 6)
        assert len(data) <= FIGURE, figure.get("aria-label")


@every("language", LANGS)
def test_first_search(language, site):
    parts = searched(language, site)
    assert sum(parts.values()) <= SEARCH, parts


@every("file", [x for x in FILES if x not in ERRORS])
def test_fonts(file, site):
    """Equations need upright and slanted letters at least; other pages none of them."""
    names = {x.rpartition("/")[2] for x in visit(file, site) if x.endswith(".woff2")}
    assert {"inter.woff2", "mono.woff2"} <= names
    names -= {"inter.woff2", "mono.woff2"}
    if soup(site / file).select(".katex .mathnormal"):
        assert {"KaTeX_Main-Regular.woff2", "KaTeX_Math-Italic.woff2"} <= names
    elif not soup(site / file).select(".katex"):
        assert not names
    assert "KaTeX_Fraktur-Bold.woff2" not in names
