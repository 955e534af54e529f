"""Chinese pages tell the comments of listings in Chinese, and change nothing else."""

import io
import re
import tokenize
from textwrap import dedent

import pytest
from codeblocks import blocks
from every import every
from pages import DOCS, ROOT, name, pages

from tilewise.render.told_in_chinese import (
    COLUMNS,
    FILE,
    columns,
    in_chinese,
    key,
    translated,
    words,
    wrapped,
)

TOLD = words(ROOT / FILE)
FOLDERS = "start", "why", "softmax", "flash-attention", "gpu"
PAGES = [p for p in pages("zh") if p.suffix == ".md"]
ARGUED = [p for p in PAGES if p.relative_to(DOCS / "zh").parts[0] in FOLDERS]
WORDS = re.compile(r"\b[a-z]{3,} [a-z]{2,} [a-z]")  # several words of English
TOLD_WORDS = tokenize.COMMENT, tokenize.NL


def code(text):
    """The tokens of a program without comments, docstrings and empty lines."""
    tokens = tokenize.generate_tokens(io.StringIO(dedent(text)).readline)
    kept = [x.string for x in tokens if x.type not in TOLD_WORDS]
    return [x for x in kept if not x.startswith('"""')]


def said(text):
    """The comments and docstrings of a program."""
    tokens = tokenize.generate_tokens(io.StringIO(dedent(text)).readline)
    for x in tokens:
        if x.type == tokenize.COMMENT or x.string.startswith('"""'):
            yield x.string


@every("page", PAGES, ids=name)
def test_only_comments_and_docstrings_differ(page):
    for block in blocks(page):
        shown = translated(block.code, TOLD)
        assert code(shown) == code(block.code)
        wide = [x for x in shown.splitlines() if columns(x) > COLUMNS]
        assert set(wide) <= set(block.code.splitlines())


@every("page", ARGUED, ids=name)
def test_no_comment_of_several_words_is_english(page):
    shown = (x for b in blocks(page) for x in said(translated(b.code, TOLD)))
    assert [x for x in shown if WORDS.search(x)] == []


def test_every_entry_is_on_a_page():
    whole = key(" ".join(b.code for page in PAGES for b in blocks(page)))
    whole = re.sub(r" # (?=[^ ])", " ", whole)  # a comment over several lines
    assert [x for x in TOLD if x not in whole] == []


@pytest.mark.parametrize(
    "english, shown",
    [
        ("x = 1  # line 7: (B_c, d)\n", "x = 1  # 第 7 行：(B_c, d)\n"),
        ("x = 1  # lines 12 and 13\n", "x = 1  # 第 12、13 行\n"),
        ("    # a\n    # b\n    y\n", "    # 甲\n    y\n"),
        ('def f():\n    """c  d\n    e"""\n', 'def f():\n    """乙"""\n'),
        ('x = "# a b"  # unknown\n', 'x = "# a b"  # unknown\n'),
    ],
)
def test_what_is_translated(english, shown):
    told = {"a b": "甲", "c d e": "乙"}
    assert translated(english, told) == shown
    page = f"```python\n{english}```\n"
    assert in_chinese(page, told) == f"```python\n{shown}```\n"
    assert in_chinese(f"```text\n{english}```\n", told) == f"```text\n{english}```\n"


def test_long_lines_are_wrapped():
    assert wrapped("一二三，四 ab cd", 6) == ["一二三，", "四 ab", "cd"]
    assert wrapped("", 6) == [""]
