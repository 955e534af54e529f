"""What the page says in numbers, and the tables' words, in both languages."""

import re

import pytest
from draw.tables._pitfall_names_zh import WRONG
from draw.tables._pitfalls import WORDS, kills, rounded, typeset
from repository import ROOT

from tilewise.pitfalls import KINDS, PITFALLS
from tilewise.pitfalls.suite import SUITE

PAGES = [*ROOT.glob("docs/*/pitfalls/wrong-but-plausible.md")]


@pytest.mark.full
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.parts[-3])
def test_the_page_counts_right(page):
    """How many variants there are, and how many of them the first test finds."""
    text = page.read_text("utf-8")
    found = sum("first" in names for names in kills().values())
    first = text.partition("{ #first-test }")[2].partition("\n## ")[0]
    numbers = re.findall(r"(?<!\d\.)\b\d+\b(?!\.\d)", first.partition("```")[0])
    assert {str(len(PITFALLS)), str(found)} == set(numbers)
    assert len(SUITE) == 18  # "eighteen" on the page
    counts = {x: sum(x in names for names in kills().values()) for x in SUITE}
    assert {*sorted(counts, key=counts.get)[-2:]} == {"variants", "gradients"}
    assert [*SUITE][10:12] == ["variants", "gradients"]  # "K and L" on the page


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.parts[-3])
def test_the_page_shows_every_line_that_its_programs_print(page):
    text = page.read_text("utf-8")
    parts = re.findall(r"outputs/wrong_but_plausible\.txt:(\d+):(\d+)", text)
    shown = [i for a, b in parts for i in range(int(a), int(b) + 1)]
    output = ROOT / "docs/generated/outputs/wrong_but_plausible.txt"
    assert shown == [*range(1, 1 + len(output.read_text("utf-8").splitlines()))]


def test_both_languages_have_words_for_the_same_things():
    for name in ("SAY", "KIND", "INPUT", "CHECK", "TEST"):
        english, chinese = (getattr(WORDS[lang], name) for lang in ("en", "zh"))
        assert english.keys() == chinese.keys(), name
    words = WORDS["en"]
    assert set(WRONG) == {pitfall.name for pitfall in PITFALLS}
    assert set(words.CHECK) == {pitfall.passes for pitfall in PITFALLS}
    assert set(words.INPUT) == {pitfall.exposed_by for pitfall in PITFALLS}
    assert list(words.TEST) == list(SUITE)
    assert list(words.KIND) == [k.__name__.rpartition(".")[2] for k in KINDS]


def test_formulas_of_docstrings_become_html():
    assert typeset("P_ij and\n  e^{S − m}") == "P<sub>ij</sub> and e<sup>S − m</sup>"
    assert typeset("e^{L_s − L} e^S") == ("e<sup>L<sub>s</sub> − L</sup> e<sup>S</sup>")
    assert typeset("a < b, *=, `no_name`") == r"a &lt; b, \*=, `no_name`"


@pytest.mark.parametrize(
    "x, shown", [(4.0, "4"), (0.068, "0.068"), (41.6, "42"), (6.6e-5, "0.00007")]
)
def test_rounded(x, shown):
    assert rounded(x) == shown
