"""Numbers that sentences take from programs: all there, all used, in both languages.

What a number must be is checked where it is computed, in tests/results and beside the
module that counts it; what a sentence says of several numbers is checked here.
"""

import json
import re

import pytest
from pages import DOCS, LANGS, markdown, pages

from tilewise.render.inline_numbers import PLACE, filled

FOLDER = DOCS / "generated/numbers"
THERE = {
    f"{path.stem}.{name}": text
    for path in sorted(FOLDER.glob("*.json"))
    for name, text in json.loads(path.read_text("utf-8")).items()
}


def used(lang):
    """The names that the pages of a language use."""
    texts = [path.read_text("utf-8") for path in pages(lang)]
    return {".".join(place) for text in texts for place in PLACE.findall(text)}


@pytest.mark.parametrize("lang", LANGS)
def test_each_number_is_used_in_both_languages(lang):
    """A name that is wrong stops the build; one that nobody uses is found here."""
    assert used(lang) == {*THERE}


def test_no_mark_is_left_where_a_name_is_misspelt():
    """`{{calculator.root}}` and the like would reach the reader as they are."""
    left = {
        path.name: re.findall(
            r"\{\{ ?\w+\.\w+ ?\}\}", filled(path.read_text("utf-8"), FOLDER)
        )
        for path in pages()
    }
    assert not any(left.values()), left


def test_a_number_stands_in_prose_and_in_an_equation():
    html = (
        markdown()
        .reset()
        .convert(r"\(C = {{ calculator.elements }}\), {{ calculator.root }}")
    )
    assert THERE["calculator.elements"] in html and THERE["calculator.root"] in html


@pytest.mark.parametrize("place", ["{{ calculator.no }}", "{{ no.root }}"])
def test_a_wrong_name_is_named(place):
    with pytest.raises(KeyError, match=place[3:-3]):
        filled(f"It is {place}.", FOLDER)


@pytest.mark.parametrize("half", ["word " * 325, "读者" * 300])
def test_reading_time(half):
    """Five minutes of prose, whatever code, tables and addresses stand between."""
    code = "\n\n```text\n" + "no prose " * 999 + "\n```\n\n"
    table = '\n\n--8<-- "docs/generated/tables/en/clocks.md"\n\n'
    text = f"{half} 1 < 2 {table} {half} 2 > 1 {code}"
    page = markdown().reset().convert(f"{{{{ minutes }}}} {text}")
    assert "<p>5 " in page
