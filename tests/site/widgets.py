"""The site's own scripts: which of them a page loads, and what they say."""

import re
from functools import cache

from pages import DOCS, ROOT

ASSETS = DOCS / "assets"
MODULES = sorted((ASSETS / "js").glob("*.js"))
WIDGET = re.compile(r'^ {2}\["(.+)", "(\w+)"\],$', re.M)
IMPORT = re.compile(r'^(?:import|export)\b[^;]*?from "\./(\w+)\.js";', re.M)
WORDS = ROOT / "tests/site/words.mjs"


def widgets():
    """{selector: module} of the table in the script that every page has."""
    return dict(WIDGET.findall((ASSETS / "tilewise.js").read_text("utf-8")))


@cache
def closure(name):
    """The names of a module and of all that it imports."""
    text = (ASSETS / f"js/{name}.js").read_text("utf-8")
    found = {name}
    for other in IMPORT.findall(text):
        found |= closure(other)
    return frozenset(found)


def loaded_by(page):
    """The files below assets that a page loads for its widgets, untouched."""
    names = [module for element, module in widgets().items() if page.select(element)]
    if not names:
        return set()
    files = {ASSETS / f"js/{x}.js" for name in names for x in closure(name)}
    return files | {ASSETS / "widgets.css"}
