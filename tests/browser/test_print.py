"""A page on paper: nothing to press, nothing cut or torn, dark ink, in both languages.

Each page is printed by a reader who has the dark scheme; pdfium reads the PDF.
"""

import ctypes
import re

import pypdfium2
import pytest
from built import soup
from pypdfium2 import raw

FILES = ["flash-attention/backward.html", "memory/calculator.html"]
FILES += ["memory/best-practices.html", "reference/api.html"]
FILES = [x for file in FILES for x in (file, f"zh/{file}")]
A4 = (680, 1000)  # CSS pixels within the margins
CONTROLS = "button, input, select, textarea, nav, .md-header, .md-sidebar, .md-footer"
SEEN = "(all) => all.filter((x) => x.checkVisibility()).map((x) => x.outerHTML)"
CUT = """(all) => all.filter((x) => {
  const { right, width } = x.getBoundingClientRect();
  const hidden = getComputedStyle(x).overflowX !== "visible";
  const scrolls = hidden && x.scrollWidth > x.clientWidth + 1;
  return width && (right > document.documentElement.clientWidth + 4 || scrolls);
}).map((x) => x.outerHTML.slice(0, 200))"""
TORN = """(all) => all.filter((x) => {
  const here = (y) => getComputedStyle(y).breakInside === "avoid";
  const keeps = (y) => y && (here(y) || keeps(y.parentElement));
  return !keeps(x) || x.getBoundingClientRect().height > innerHeight;
}).map((x) => x.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module", params=FILES)
def file(request):
    """All tests of a page come together, and share what they look at."""
    return request.param


@pytest.fixture(scope="module")
def paper(windows, file):
    """The page as it is printed, on A4, from the dark scheme."""
    page = windows.take(True)
    windows.open(page, file, dark=True, width=A4[0], height=A4[1])
    page.locator("body[data-md-color-scheme=slate]").wait_for()
    page.emulate_media(media="print", color_scheme="dark")
    yield page
    assert page.wrong == []
    windows.give(page)


@pytest.fixture(scope="module")
def printed(paper):
    """The page as a PDF."""
    with pypdfium2.PdfDocument(paper.pdf(format="A4")) as document:
        yield document


def letters(document):
    """(red, green, blue) of every piece of text in a PDF."""
    for sheet in document:
        for part in sheet.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=8):
            colour = [ctypes.c_uint() for _ in range(4)]
            assert raw.FPDFPageObj_GetFillColor(part, *colour)
            yield tuple(x.value for x in colour[:3])


def contrast(colour):
    """With white paper, as WCAG counts it."""
    parts = [x / 255 for x in colour]
    r, g, b = (
        x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts
    )
    return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)


def test_nothing_to_press(paper):
    assert paper.locator(CONTROLS).evaluate_all(SEEN) == []
    assert paper.locator(".headerlink, .tw-switch").evaluate_all(SEEN) == []


def test_nothing_is_cut_or_torn(paper):
    """Code and tables break their lines; what is one thing fits on a page and stays."""
    within = "article :not(svg *, .katex-mathml, .katex-mathml *, .tw-aside)"
    assert paper.locator(within).evaluate_all(CUT) == []
    assert paper.locator(".katex-display, svg.tw, article tr").evaluate_all(TORN) == []


def test_answers_stand_open(paper):
    answers = paper.locator("details.question > p")
    assert len(answers.evaluate_all(SEEN)) == answers.count()


@pytest.mark.parametrize("page", ["memory/calculator", "zh/memory/best-practices"])
def test_answers_stand_open_without_scripts(visit, page):
    """It is the style sheet that opens them, which all pages share."""
    page = visit(f"{page}.html", javascript=False)
    page.emulate_media(media="print")
    answers = page.locator("details.question > p")
    assert len(answers.evaluate_all(SEEN)) == answers.count() > 0


def test_dark_ink(printed):
    """All letters can be read on white paper, also where code is coloured."""
    colours = set(letters(printed))
    faint = {x for x in colours if contrast(x) < 4}
    assert (0, 0, 0) in colours and faint <= {(255, 255, 255)}  # on a filled verdict


def test_all_is_printed(printed, site, file):
    """Every heading, line of code and source's address, over all pages."""
    assert all(
        sheet.get_size() == pytest.approx((595, 842), abs=1) for sheet in printed
    )
    text = "".join(sheet.get_textpage().get_text_bounded() for sheet in printed)
    text = re.sub(r"\s|[-\x02\ufffe]", "", text)  # hyphens at ends of lines
    article = soup(site / file).article
    wanted = [x.get_text() for x in article.select("h2, h3")]
    wanted += [y for x in article.select("pre") for y in x.get_text().splitlines()]
    wanted += [x["href"] for x in article.select("#sources ~ ul a[href^=http]")]
    plain = [re.sub(r"\s|-|¶$", "", x) for x in wanted]
    assert len(plain) > 10 and [x for x in plain if x not in text] == []
