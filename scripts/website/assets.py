"""The files that stand beside the pages of a built site, and where each comes from.

{language: path below the site} is LANGUAGES. Chinese pages take what is the same in
both languages and large, such as the Python of the page, from the site's root.
"""

import json
import re
from pathlib import Path

from website import fonts, lean, lessons
from website.equations import NPM, node

from tilewise import __version__
from tilewise.render import listings

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"en": "", "zh": "zh/"}
ASSETS, RESULTS = ROOT / "docs/assets", ROOT / "benchmarks/results"
EXAMPLES = ROOT / "docs/generated/live"  # what widgets show before anything is asked
CARD = "docs/generated/figures/{}/social-card.svg"
MICROPYTHON = NPM / "node_modules/@micropython/micropython-webassembly-pyscript"
# .js: some servers do not know what .mjs is
RUNTIME = {"micropython.js": "micropython.mjs", "micropython.wasm": "micropython.wasm"}
REMARK = re.compile(r" */\*.*?\*/\n?", re.S)  # in a style sheet
SHARED = {"js", "widgets.css", "home.css"}  # once, at the root: tilewise.js
MARK = re.compile(r"^ *# --8<-- .*\n", re.M)  # a section of a page begins or ends
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)"')


def scripts():
    """{path: text} of our scripts, minified: without comments and with short names."""
    texts = {
        p.relative_to(ASSETS).as_posix(): p.read_text("utf-8")
        for p in sorted(ASSETS.rglob("*.js"))
    }
    return json.loads(node("minify.mjs", json.dumps(texts).encode()))


def own(language, scripts):
    """Styles without their comments, scripts, pictures."""
    for path in sorted(p for p in ASSETS.rglob("*") if p.is_file()):
        name = path.relative_to(ASSETS)
        if LANGUAGES[language] and name.parts[0] in SHARED:
            continue
        short = scripts.get(name.as_posix())
        if path.suffix == ".css":
            up = "../../assets/" if LANGUAGES[language] else ""
            short = lean.restyled(REMARK.sub("", path.read_text("utf-8")))
            short = short.replace("url(fonts/", f"url({up}fonts/")
        yield (
            f"assets/{name.as_posix()}",
            short.encode() if short else path.read_bytes(),
        )


def results():
    """Every measured number, one click away."""
    for path in sorted(RESULTS.rglob("*.json")):
        file = path.relative_to(RESULTS).as_posix()
        yield f"assets/results/{file}", path.read_bytes()


def alone():
    """The programs that need nothing of ours, for a reader's own project."""
    for path in sorted((ROOT / "docs/generated/alone").glob("*.py")):
        yield f"assets/alone/{path.name}", path.read_bytes()


def katex(css, made, language):
    """KaTeX's style sheet and, once, at the root, its fonts."""
    up = "../../../assets/katex/" if LANGUAGES[language] else ""
    yield "assets/katex/katex.css", css.replace("url(", f"url({up}").encode()
    for name, font in made.items() if not up else ():
        yield f"assets/katex/fonts/{name}", font


def card(language):
    """The picture of shared links, 1200 × 630: the same bytes on every machine."""
    svg = (ROOT / CARD.format(language)).read_bytes()
    yield "assets/social-card.png", node("card.mjs", svg)


def python_files():
    """{path: source} of what the page's Python finds, without the pages' own marks."""
    source = listings.SOURCE
    paths = [*listings.plain().values()]
    for package in ("live", "exercises"):
        paths += sorted((source / package).glob("*.py"))
    texts = {f"tilewise/{p.relative_to(source).as_posix()}": p for p in paths}
    texts |= {path.name: path for path in (source / "live/library").glob("*.py")}
    made = {"tilewise/__init__.py": ""}
    return made | {k: MARK.sub("", p.read_text("utf-8")) for k, p in texts.items()}


def runtime():
    """MicroPython, the Python that it runs, and the first state of each widget.

    docs/assets/js/runtime.js loads nothing of this before a reader asks for it.
    """
    python = json.dumps(python_files(), ensure_ascii=False)
    yield "assets/python.json", python.encode()
    for name, source in RUNTIME.items():
        yield f"assets/micropython/{name}", (MICROPYTHON / source).read_bytes()
    for path in sorted(EXAMPLES.glob("*.json")):
        yield f"assets/live/{path.name}", path.read_bytes()


def pages(language):
    """The pages as they are written, for readers without the repository."""
    folder = ROOT / "docs" / language
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".md", ".py")):
        yield f"source/{path.relative_to(folder).as_posix()}.txt", path.read_bytes()


def citation(site_url):
    """How to cite the book, in BibTeX."""
    yield (
        "assets/tilewise.bib",
        f"""@book{{tilewise,
  title = {{Tilewise: FlashAttention, one tile at a time}},
  author = {{{{The Tilewise authors}}}},
  year = {{2026}},
  edition = {{{__version__}}},
  url = {{{site_url}}},
}}
""".encode(),
    )


def robots(site_url):
    """robots.txt: read everything; each language has a sitemap."""
    maps = [f"Sitemap: {site_url}{path}sitemap.xml" for path in LANGUAGES.values()]
    yield "robots.txt", "\n".join(["User-agent: *", "Allow: /", "", *maps, ""]).encode()


def linked(language):
    """The names of the files that pages link to."""
    files = [*results(), *alone(), *citation("")]
    notebooks = [f"{name}.ipynb" for name in lessons.lessons(language)]
    return [*notebooks, *(name for name, _ in files)]


def write(site, texts, rendered):
    """Write the files of every language; the home page says the site's address.

    The fonts have what is in these texts of pages and in rendered equations.
    """
    found = CANONICAL.search((site / "index.html").read_text("utf-8"))
    site_url = found[1].removesuffix("index.html") if found else ""
    minified = scripts()
    said = [*texts, *minified.values(), *python_files().values()]
    shown = fonts.characters(said)
    made = fonts.katex([*texts, *rendered], shown)
    for language, path in LANGUAGES.items():
        files = [*own(language, minified), *results(), *alone()]
        files += [*katex(*made, language), *card(language)]
        files += lessons.notebooks(language, site_url + path)
        files += [*citation(site_url + path), *pages(language)]
        if not path:
            files += [*runtime(), *robots(site_url)]
            files += [(f"assets/fonts/{x}", y) for x, y in fonts.words(shown).items()]
        for name, content in files:
            target = site / path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
