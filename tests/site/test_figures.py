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
        drawn = [] if "tw-widget" in figure["class"] else figure.select("svg.tw")
        assert len(figure.select("a.tw-svg")) == len(drawn)


@every("file", FILES)
def test_drawings_are_complete(file, site):
    """A drawing alone is XML, has every colour that it uses, and loads nothing."""
    page = soup(site / file)
    drawn = (
        [] if page.select(".tw-home") else page.select("figure:not(.tw-widget) svg.tw")
    )
    for link, drawing in zip(page.select("a.tw-svg"), drawn, strict=True):
        path = (site / file).parent / link["href"]
        text, label = path.read_text("utf-8"), drawing["aria-label"]
        assert ET.fromstring(text).get("aria-label") == label
        used = set(re.findall(r"var\((--[\w-]+)", text))
        assert used <= set(re.findall(r"(--[\w-]+):", text))
        assert not re.findall(r"url\(|href=|@import", text)
