"""Both languages have the same messages; Chinese is set as Chinese is."""

import re
import string

import pytest

from tilewise.cli.doctor import WORDS as DOCTOR
from tilewise.cli.doctor.rows import table
from tilewise.cli.doctor.show import SAID
from tilewise.cli.errors import KINDS, MESSAGES
from tilewise.cli.export import WORDS as EXPORT
from tilewise.cli.help import HELP
from tilewise.render.ledger_words import LEDGER
from tilewise.render.text import text_lines
from tilewise.render.words import WORDS

HAN, LATIN = "[\u4e00-\u9fff]", "[A-Za-z0-9]"


def fields(template):
    return sorted({x for _, x, _, _ in string.Formatter().parse(template) if x})


@pytest.mark.parametrize(
    "words", [WORDS, LEDGER, MESSAGES, KINDS, EXPORT, DOCTOR, SAID]
)
def test_same_keys_and_same_values_filled_in(words):
    assert list(words["en"]) == list(words["zh"])
    for key, english in words["en"].items():
        chinese = words["zh"][key]
        if isinstance(english, str):
            assert fields(english) == fields(chinese), key


def test_findings_fill_in_the_same_values():
    for row in table()["finding"]:
        for key, english in row["en"].items():
            assert {*fields(english)} == {*fields(row["zh"][key])}, row["id"]


def test_same_help():
    assert list(HELP["en"]) == list(HELP["zh"])


def test_chinese_spacing_and_punctuation(given, shown):
    said = [x.replace("{kind}", "，") for x in MESSAGES["zh"].values()]
    said = [re.sub(r"\{\w+\}", "1", x) for x in said] + list(HELP["zh"].values())
    said += [re.sub(r"\{\w+\}", "1", x) for x in EXPORT["zh"].values()]
    doctors = [*DOCTOR["zh"].values(), *SAID["zh"].values()]
    doctors += [text for row in table()["finding"] for text in row["zh"].values()]
    doctors += [call["zh"] for call in table()["calls"].values()]
    said += [re.sub("`[^`]*`", "x", re.sub(r"\{\w*\}", "1", x)) for x in doctors]
    said += shown(text_lines, given(5, 2, causal=True), lang="zh")
    for line in said:
        line = re.sub(r"\{.*\}", "", line)  # JSON in a message
        line = re.sub(r"\([\w, ]+\)", "x", line)  # numbers in a row: (r, c)
        assert not re.search(f"{HAN}{LATIN}|{LATIN}{HAN}", line), line
        assert not re.search(f"{HAN} ?[,;:!?()]", line), line
