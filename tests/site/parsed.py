"""A parsed page that finds by an index what BeautifulSoup looks for from end to end."""

import gc
from functools import cached_property

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag
from soupsieve import compile as css
from soupsieve.css_match import CSSMatch


class Page(BeautifulSoup):
    """HTML that is not changed once it is parsed; `select` is the one of soupsieve."""

    def __init__(self, text):
        watched = gc.isenabled()
        gc.disable()  # all of it stays: counting it again and again is half the time
        super().__init__(text, "html.parser")
        gc.freeze()
        if watched:
            gc.enable()

    @cached_property
    def index(self):
        """{name, ".class" or "[attribute": [(place, element)]}; "*" has them all."""
        found = {"*": []}
        for place in enumerate(self.find_all(True)):
            node = place[1]
            keys = [node.name, "*", *(f"[{x}" for x in node.attrs)]
            for key in keys + [f".{x}" for x in {*node.get("class", ())}]:
                found.setdefault(key, []).append(place)
        return found

    def select(self, selector):
        """All elements that a CSS selector means, in their order."""
        rule, some = css(selector), {}
        for one in rule.selectors:
            some |= self.index.get(needed(one), ())
        match = CSSMatch(rule.selectors, self, rule.namespaces, rule.flags).match
        return [some[place] for place in sorted(some) if match(some[place])]

    def select_one(self, selector):
        return next(iter(self.select(selector)), None)


def needed(selector):
    """The key of the index that whatever matches the selector, without commas, has."""
    if selector.classes:
        return f".{selector.classes[0]}"
    if selector.ids or selector.attributes:
        return "[id" if selector.ids else f"[{selector.attributes[0].attribute.lower()}"
    return selector.tag.name.lower() if selector.tag else "*"


def texts(node, without):
    """The texts below a node, save those of elements for which `without` is true."""
    for child in node.children:
        if isinstance(child, Tag):
            if not without(child):
                yield from texts(child, without)
        elif type(child) is NavigableString:
            yield child
