"""The pages as they are written, and as the site's own Markdown renders them."""

import re
from functools import cache

import jupytext
import yaml
from bs4.element import NavigableString, Tag
from markdown import Markdown
from mkdocs.config import load_config
from mkdocs.utils.meta import get_data
from parsed import Page
from repository import ROOT

from tilewise.render.inline_numbers import MINUTES, filled

DOCS = ROOT / "docs"
LANGS = ("en", "zh")
APART = set("svg script style pre arithmatex headerlink tw-drawn".split())  # or classes
INLINE = set("a abbr b code del em i ins kbd mark q small span strong sub sup".split())
MARK = "\N{REPLACEMENT CHARACTER}"  # stands for code or an equation within a sentence
INCLUDE = re.compile(r'--8<--\s+"([^"]+)"')


def pages(*langs):
    """The files of all pages: Markdown, and notebooks as Python files."""
    found = [p for lang in langs or LANGS for p in (DOCS / lang).rglob("*")]
    return sorted(p for p in found if p.suffix in (".md", ".py"))


def name(path):
    """How a test calls a page: en/softmax/merging.md."""
    return path.relative_to(DOCS if DOCS in path.parents else ROOT).as_posix()


def built(path):
    """Where the page stands in the built site: softmax/merging.html."""
    made = path.relative_to(DOCS).with_suffix(".html").as_posix()
    return made.removeprefix("en/")


@cache
def config():
    """mkdocs.yml, read by MkDocs."""
    return load_config(str(ROOT / "mkdocs.yml"))


@cache
def markdown():
    """The converter with the extensions and options of the site."""
    options = config()
    return Markdown(
        extensions=options.markdown_extensions, extension_configs=options.mdx_configs
    )


def expand(lines):
    """The lines with their `--8<--` includes replaced, by the site's own extension."""
    return markdown().preprocessors["snippet"].run(list(lines))


@cache
def read(path):
    """(text, front matter) of a page; a notebook's code cells become fences."""
    if path.suffix == ".md":
        text, meta = get_data(path.read_text("utf-8"))
        text = filled(text, DOCS / "generated/numbers")
        return text.replace(MINUTES, MARK), meta  # the languages take different times
    cells = jupytext.read(path).cells
    meta = {}
    if cells and cells[0].cell_type == "raw":
        meta = yaml.safe_load(cells.pop(0).source.strip("-\n"))
    code = "```python\n{}\n```"
    texts = [
        c.source if c.cell_type == "markdown" else code.format(c.source) for c in cells
    ]
    return "\n\n".join(texts), meta


def cells(path):
    """The source of a notebook's code cells."""
    return [c.source for c in jupytext.read(path).cells if c.cell_type == "code"]


@cache
def html(path):
    """The page's own part of the built page, before the hooks touch it."""
    return Page(markdown().reset().convert(read(path)[0]))


def sentences(node, block):
    """(text, the block that holds it) of what is written below a node of that block."""
    for child in node.children:
        if isinstance(child, Tag):
            kinds = child.get("class", ())
            if child.name == "code" or child.name == "span" and "arithmatex" in kinds:
                yield MARK, block
            elif APART.isdisjoint([child.name, *kinds]):
                yield from sentences(child, block if child.name in INLINE else child)
        elif type(child) is NavigableString:
            yield child, block


@cache
def paragraphs(path):
    """What is written as sentences: one text for each paragraph, item, cell, heading.

    Code blocks, displayed equations and figures are left out; code and equations within
    a sentence are a MARK. Ends of lines are spaces, other white space stays.
    """
    texts = {}
    for text, block in sentences(html(path), html(path)):
        texts.setdefault(id(block), []).append(text)
    joined = (
        re.sub(r"[ \t]*\n[ \t]*", " ", "".join(t)).strip(" ") for t in texts.values()
    )
    return [text for text in joined if text]
