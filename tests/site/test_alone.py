"""Listings without the package: each runs alone and prints what the page shows."""

import re

import pytest
from built import FILES, lang, soup, target
from codeblocks import NO_TRITON, blocks
from draw import fresh
from generate import environment, lacks_library
from pages import name, pages
from website.alone import KERNELS, OURS, code_of

from tilewise import alone


def listings():
    """{(code, output): the first place that shows it} of the English pages."""
    found = {}
    for page in pages("en"):
        if page.suffix == ".md":
            for block in blocks(page):
                if not block.excerpt:
                    place = f"{name(page)}:{block.line}"
                    found.setdefault((block.code, block.output), place)
    return found


OFFERED = {
    (text, output): place
    for (code, output), place in listings().items()
    if OURS.search(code) and (text := alone.listing(code, "page"))
}


@pytest.mark.few(2)
@pytest.mark.parametrize("program", OFFERED, ids=OFFERED.values())
def test_a_listing_prints_the_same_without_the_package(program):
    text, output = program
    assert not OURS.search(text)
    if lacks_library(text):
        pytest.skip(NO_TRITON)
    status, printed, errors = fresh.alone(text, environment())
    assert status == 0, errors
    assert output in (None, printed)


def test_most_listings_run_without_the_package():
    free = [code for code, _ in listings() if not OURS.search(code)]
    assert len(free) + len(OFFERED) >= 70
    parts = r"en/(?:softmax|flash-attention|gpu)/"
    shown, offer = (
        {place.split(":")[0] for place in places if re.match(parts, place)}
        for places in (listings().values(), OFFERED.values())
    )
    assert shown - offer == {"en/gpu/ecosystem.md"}  # which is about the package


def needs(block):
    """The line about what a listing needs: in it, or after its output."""
    after = [*block.find_next_siblings(limit=2)]  # none, if it is the last of a fold
    if after and "output" in after[0].get("class", ()):
        del after[0]
    last = [x for x in after[:1] if "tw-needs" in x.get("class", ())]
    return block.select(".tw-needs") + last


def test_each_listing_of_the_site_says_what_it_needs(site):
    """In both languages: files are there, and every other listing runs as it is."""
    said = {"en": [], "zh": []}
    for file in FILES:
        for block in soup(site / file).select(".language-python.highlight"):
            if "no-copy" in block["class"]:
                continue
            code, line = (code_of(str(block.select_one("pre"))), needs(block))
            kernels = KERNELS.search(code) and "triton.compile" not in code
            assert bool(line) == bool(OURS.search(code) or kernels), (file, code)
            for link in (a for x in line for a in x.select("a")):
                text = (site / target(file, link["href"])[0]).read_text("utf-8")
                assert not OURS.search(text) and link.has_attr("download")
                lines = re.findall(r"(\d+) (?:lines|行)", line[0].get_text())
                assert lines in ([], [str(len(text.splitlines()))])
            said[lang(file)] += [len(x.select("a")) for x in line]
    assert said["en"] == said["zh"] and sum(said["en"]) > 40
