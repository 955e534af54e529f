"""Figures have numbers that are links, and drawings that can be taken along."""

import re
import xml.etree.ElementTree as ET

from built import FILES, lang, soup
from every import every

SAID = {"en": "Figure {}", "zh": "图 {}"}


@every("file", FILES)
def test_numbers(file, site):
    page = soup(site / file)
    figures = [] if page.select(".tw-home") else page.select("article figure.tw-figure")
    assert len(page.select(".tw-number")) == len(figures)
    for n, figure in enumerate(figures, 1):
        link = figure.select_one("figcaption > a")
        assert link.get_text() == SAID[lang(file)].format(n)
        assert link["href"] == f"#{figure['id']}" == f"#figure-{n}"
        drawn = figure.select("svg.tw") and "tw-widget" not in figure["class"]
        assert len(figure.select("a.tw-svg")) == bool(drawn)


@every("file", FILES)
def test_drawings_are_complete(file, site):
    """A drawing alone is XML, has every colour that it uses, and loads nothing."""
    for link in soup(site / file).select("a.tw-svg"):
        path = (site / file).parent / link["href"]
        text = path.read_text("utf-8")
        label = link.find_parent("figure").select_one("svg")["aria-label"]
        assert ET.fromstring(text).get("aria-label") == label
        used = set(re.findall(r"var\((--[\w-]+)", text))
        assert used <= set(re.findall(r"(--[\w-]+):", text))
        assert not re.findall(r"url\(|href=|@import", text)
