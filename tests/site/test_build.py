"""The strict build succeeds without torch, and no page shows what it was made from."""

import re
import subprocess
import sys
from collections import Counter

from built import FILES, lang, soup
from codeblocks import fences
from every import every
from pages import built, cells, name, pages
from parsed import texts
from website import equations

each_page = every("page", pages(), ids=name)
each_file = every("file", FILES)
CODE = ("pre", "code", "script", "style")
LEFT = re.compile(
    r"--8<--|\{ ?[#.:]|:::|\?\?\? |!!! |\\[(\[)\]]|\$[^$\n]+\$|\]\(|\*\*|~~~|```"
)


def test_strict_build(build):
    assert build.status == 0, build.log[-3000:]
    assert not re.findall("^(?:WARNING|ERROR|CRITICAL).*", build.log, re.M)


def test_the_build_could_not_use_torch(reader):
    done = subprocess.run(
        [sys.executable, "-c", "import torch"], env=reader, capture_output=True
    )
    assert b"not part of the docs extra" in done.stderr


@each_page
def test_every_code_block_is_known(page, site):
    """The Python blocks on the built page are those that the tests run, no more."""
    shown = soup(site / built(page))
    python = len(shown.select("div.language-python.highlight"))
    if page.suffix == ".py":
        assert python == len(cells(page))
        return
    kinds = [fence.info for fence in fences(page)]
    assert python == sum("python" in kind for kind in kinds)
    assert len(shown.select("article pre:not(tw-exercise pre)")) == len(kinds)
    assert len(shown.select("[class*='language-py']")) == python


@each_file
def test_language(file, site):
    assert soup(site / file).html["lang"] == lang(file)


@each_file
def test_title_and_description(file, site):
    page = soup(site / file)
    assert page.title.get_text(strip=True)
    assert page.select_one("meta[name=description]")["content"].strip()


def code_or_equation(node):
    return node.name in CODE or "katex" in node.get("class", ())


@each_file
def test_nothing_is_left_unrendered(file, site):
    article = soup(site / file).select_one("article")
    assert LEFT.findall("\n".join(texts(article, code_or_equation))) == []


def written_with_a_keyboard(node):
    """Code and equations, docstrings, labels of figures and exercises."""
    if node.name in ("svg", "tw-exercise") or "doc" in node.get("class", ()):
        return True
    return code_or_equation(node)


@each_file
def test_quotation_marks_are_printed_ones(file, site):
    article = soup(site / file).select_one("article")
    told = texts(article, written_with_a_keyboard)
    assert [x for x in told if re.search("[\"']", x)] == []


@each_file
def test_equations(file, site):
    """Each became HTML with MathML beside it for screen readers."""
    page = soup(site / file)
    for node in page.select(".arithmatex"):
        assert node.select_one(".katex .katex-mathml math"), node.get_text()
    assert not page.select(".katex-error, .arithmatex .arithmatex")


@each_file
def test_lines_break_beside_equations(file, site):
    """An equation keeps the bracket before it and the comma after it, and breaks only
    if it is a long one."""
    page = soup(site / file)
    for node in page.select("p span.arithmatex"):
        kept = node.parent if "tw-keep" in node.parent.get("class", ()) else None
        before, after = (
            str(x or "") for x in (node.previous_sibling, node.next_sibling)
        )
        bases = len(node.select(".katex-base"))
        short = len(node.select_one("annotation").get_text()) <= equations.SHORT
        more = re.match(r"[，。；：、！？）”,.;:!?)]| = \d", after)
        more = more or before.endswith(("(", "（"))
        assert bool(kept) == bool(more or (short and bases > 1)), after
        assert len(node.select("wbr")) == (bases - 1 if kept and not short else 0)


@each_file
def test_no_heading_or_cell_breaks_a_name(file, site):
    names = re.compile(r"FlashAttention-\d|split-KV|前\+反")
    for node in soup(site / file).select("h1, h2, h3, td, th"):
        for text in node.find_all(string=names):
            assert text.parent.get("class") == ["tw-keep"], text


@each_file
def test_figures_have_alternatives(file, site):
    """An SVG says what it shows, in the language of the page; so does an image."""
    for svg in soup(site / file).select("figure svg:not([aria-hidden]), svg.tw"):
        parts = svg.select("[tabindex]")  # if these take the focus, it is a group
        assert svg.get("role") == ("group" if parts else "img")
        assert svg.get("aria-label", "").strip()
        assert bool(re.search("[\u4e00-\u9fff]", svg["aria-label"])) == (
            lang(file) == "zh"
        )
    for image in soup(site / file).select("img"):
        assert image.get("alt", "").strip()
    for figure in soup(site / file).select("article figure"):
        assert figure.select_one("figcaption"), "no caption"


@each_file
def test_ids_are_unique(file, site):
    ids = Counter(x["id"] for x in soup(site / file).select("[id]"))
    assert [x for x, count in ids.items() if count > 1] == []
    assert [x for x in ids if re.search(r"\s", x)] == []
