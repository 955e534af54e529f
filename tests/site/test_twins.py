"""Each Chinese page says what its English page says: structure, formulas, numbers."""

import re
from collections import Counter

import pytest
import twins
from codeblocks import fences
from every import every
from numerals import names, numbers, words
from pages import DOCS, INCLUDE, html, paragraphs, read

PAIRS = [p for p in twins.pages("en") if (DOCS / "zh" / p).exists()]
each_pair = every("page", PAIRS, ids=str)


def both(of, page):
    """The same thing taken from the English and from the Chinese page."""
    return of(DOCS / "en" / page), of(DOCS / "zh" / page)


def same(of, page):
    english, chinese = both(of, page)
    assert chinese == english


def same_bag(of, page):
    """The same things as often, in any order; says what is missing and what is new."""
    english, chinese = (Counter(x) for x in both(of, page))
    assert [*(english - chinese).elements()] == [], "missing in Chinese"
    assert [*(chinese - english).elements()] == [], "only in Chinese"


def tex(node):
    """An equation without the words in it and without white space."""
    source = re.sub(r"\\text[a-z]*\s*\{[^{}]*\}", r"\\text{}", node.get_text())
    return re.sub(r"\s+", "", source)


def test_same_paths():
    assert twins.pages("zh") == twins.pages("en")


@every("page", twins.pages("en"), ids=str)
def test_not_stale(page):
    """Else: compare the pages, mend the Chinese, run scripts/twins.py stamp."""
    assert twins.problem(page) is None


@each_pair
def test_headings(page):
    same(
        lambda p: [(h.name, h.get("id")) for h in html(p).select("h1,h2,h3,h4,h5,h6")],
        page,
    )


@each_pair
def test_includes(page):
    def includes(path):
        paths = INCLUDE.findall(read(path)[0])
        return [re.sub(r"/(en|zh)(?=/)", "/LANG", p) for p in paths]

    same(includes, page)


@each_pair
def test_code(page):
    """The same blocks; a notebook's cells may ask for their language."""

    def code(path):
        return [
            (f.info, [re.sub(r', lang="zh"', "", line) for line in f.lines])
            for f in fences(path)
        ]

    same(code, page)


@each_pair
def test_displayed_equations(page):
    same(lambda p: [tex(x) for x in html(p).select("div.arithmatex")], page)


@each_pair
def test_equations_in_sentences(page):
    same_bag(lambda p: [tex(x) for x in html(p).select("span.arithmatex")], page)


@each_pair
def test_code_in_sentences(page):
    """The same names; how often each is repeated is a matter of style."""
    same(lambda p: {x.get_text() for x in html(p).select(":not(pre) > code")}, page)


@each_pair
def test_figures_and_widgets(page):
    """Figures, images, boxes and custom elements, in order, without their words."""
    words = {"alt", "title", "aria-label", "label", "lang"}

    def elements(path):
        kinds = ("figure", "img", "details")
        nodes = html(path).find_all(
            lambda x: (
                x.name in kinds or "-" in x.name or "admonition" in x.get("class", "")
            )
        )
        return [
            (x.name, {k: v for k, v in x.attrs.items() if k not in words})
            for x in nodes
        ]

    same(elements, page)


@each_pair
def test_links(page):
    same(lambda p: {a["href"] for a in html(p).select("a[href]")}, page)


@each_pair
def test_tables(page):
    def shapes(path):
        tables = html(path).select("table")
        return [[len(row.select("th,td")) for row in t.select("tr")] for t in tables]

    same(shapes, page)


@each_pair
def test_lists(page):
    def lengths(path):
        lists = html(path).select("ol,ul")
        return [(x.name, len(x.find_all("li", recursive=False))) for x in lists]

    same(lengths, page)


@each_pair
def test_numbers(page):
    """Where English writes 3, so does Chinese; where it writes three, Chinese may."""
    english, chinese = both(lambda p: "\n".join(paragraphs(p)), page)
    missing = numbers(english) - numbers(chinese)
    added = numbers(chinese) - numbers(english) - words(english)
    assert not missing, "missing in Chinese"
    assert not added, "only in Chinese"


@each_pair
def test_names_with_digits(page):
    same(lambda p: sorted(names("\n".join(paragraphs(p)))), page)


@pytest.mark.parametrize(
    "english, chinese",
    [
        ("65 536 scores of 1,024 bytes", "65536 个分数，各 1 024 字节"),
        ("4 million keys at 85 %", "400 万个键，85%"),
        ("3.35 TB/s on 20 November 2026", "2026 年 11 月 20 日：3.35 TB/s"),
        ("in November 2026, 10 times", "2026 年 11 月，10 次"),
        ("2-byte numbers, the 3rd of 1.50", "第 3 个，2 字节，共 1.5"),
        ("4, 128 or 256; 1.5 billion", "4，128 或 256；15 亿"),
        (
            "The H100 beside FlashAttention-2's 64 rows",
            "H100 与 FlashAttention-2 的 64 行",
        ),
    ],
)
def test_numbers_do_not_depend_on_the_language(english, chinese):
    assert numbers(english) == numbers(chinese) and numbers(english)
    assert names(english) == names(chinese)


def test_a_number_in_words_may_become_one_in_figures():
    assert numbers("都是 2 的幂") == words("Each is a power of two, not the twofold.")


@pytest.mark.parametrize(
    "one, other",
    [("65 536", "65 535"), ("2 and 2", "2"), ("1.5", "15"), ("H100", "H200")],
)
def test_different_numbers_differ(one, other):
    assert (numbers(one), names(one)) != (numbers(other), names(other))
