"""What a page needs before it is drawn: few bytes, one sheet, no script that blocks."""

import re

import pytest
from built import FILES, soup
from every import every
from repository import ROOT
from website.lean import KEPT, joined, one_sheet, squeezed

BROAD = re.compile(
    r"(?:^|[\s,}])(?::root|html|body|article|\.md-(?:content|main)\w*):has"
)
BLOCKS = (
    "<pre>a\n  b\n\n c</pre>",
    "<script>x\n  y</script>",
    "<textarea>\n  z</textarea>",
)


def test_squeezed():
    for block in BLOCKS:
        page = f"<p>\n  one\n\n    two <b>\n three</b>\n</p>\n {block}\n  <i> four</i>"
        lines = "<p>\none\ntwo <b>\nthree</b>\n</p>\n", block, "\n<i> four</i>"
        assert squeezed(page) == "".join(lines)
    assert squeezed("".join(BLOCKS)) == "".join(BLOCKS)
    code = '<pre><span class="{}">x</span>\n  y</pre>'
    assert squeezed(code.format("n")) == "<pre>x\n  y</pre>"
    assert squeezed(code.format("nf")) == code.format("nf")


def test_nothing_asks_the_whole_page():
    """A change anywhere within would have the browser ask such a rule again."""
    for path in (ROOT / "docs/assets").rglob("*.css"):
        assert not BROAD.search(path.read_text("utf-8")), path.name


def test_sheets_differ():
    link = '<link rel="stylesheet" href="../assets/{}.css">'
    both = link.format("a") + link.format("b")
    assert one_sheet(both, "") == link.format("all")
    with pytest.raises(ValueError, match="other style sheets"):
        joined(None, {"one.html": both, "two.html": link.format("a")}, "")


def test_tables_are_in_their_boxes(site):
    """The theme's script would put these there, and its sheet does not know others."""
    theirs = "table:not([class])"
    [script] = (site / "assets/javascripts").glob("bundle.*.min.js")
    assert theirs in script.read_text("utf-8")
    for sheet in site.rglob("*.css"):
        assert theirs not in sheet.read_text("utf-8"), sheet
    page = soup(site / "gpu/backward-kernels.html")
    boxed = ".md-typeset__scrollwrap > .md-typeset__table > table"
    assert len(page.select("table")) == len(page.select(boxed)) == 11


@every("file", FILES)
def test_page(file, site):
    text = (site / file).read_text("utf-8")
    for part in KEPT.split(text)[::3]:
        assert not re.findall(r"\n\s.*", part)
    page = soup(site / file)
    sheets = [x["href"].rpartition("/")[2] for x in page.select("[rel=stylesheet]")]
    live = page.select("tw-stepper, tw-strip, tw-calculator, tw-exercise, tw-measured")
    live += page.select("tw-timeline")
    assert not page.select("table:not([class])")
    own = ["home.css"] * bool(page.select(".tw-home"))
    assert sheets[0] == "all.css" and sheets[1:] in (own, ["widgets.css", *own])
    assert "widgets.css" in sheets or not live
    assert [x for x in page.select("script[src]") if not x.has_attr("defer")] == []
