"""A Markdown extension: numbers that a sentence takes from the program that found them.

Where a page says `{{ measured.forward_cudnn }}`, the reader sees the entry
`forward_cudnn` of docs/generated/numbers/measured.json. scripts/generate.py writes that
file from measurements, counts and traces, so a sentence can be reworded freely and its
number cannot grow old. `{{ minutes }}` becomes the time that the page takes to read.
MkDocs and Zensical load this by the name `tilewise.render.inline_numbers`.
"""

import json
import re
from functools import cache
from pathlib import Path

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

FOLDER = Path("docs/generated/numbers")  # below the folder that a site is built in
PLACE = re.compile(r"\{\{ (\w+)\.(\w+) \}\}")
MINUTES = "{{ minutes }}"
CODE = re.compile(  # blocks of code, includes, tags, addresses
    r"^ *(`{3,}|~{3,}).*?^ *\1|^ *--8<--[^\n]*|</?[a-zA-Z][^<>]*>|\]\([^)]*\)",
    re.M | re.S,
)
WORD = re.compile(r"[a-zA-Z][\w'’-]*")
CHINESE = re.compile("[\u4e00-\u9fff]")
WORDS_A_MINUTE, CHARACTERS_A_MINUTE = 130, 240  # with equations and figures between
BEFORE_INCLUDES = 40  # pymdownx.snippets has 32: a listing with braces stays as it is


@cache
def numbers(path, _changed):
    """{name: text} of a file; read again when it has changed."""
    return json.loads(path.read_text("utf-8"))


def filled(text, folder=FOLDER):
    """A page's text with its numbers; raises KeyError for a name that is not there."""

    def number(match):
        path = folder / f"{match[1]}.json"
        if path.exists():
            found = numbers(path, path.stat().st_mtime_ns)
            if match[2] in found:
                return found[match[2]]
        raise KeyError(f"no number {match[1]}.{match[2]}: {path} has no such entry")

    return PLACE.sub(number, text)


def minutes(text):
    """How long a page takes to read, in whole minutes, without its listings."""
    prose = CODE.sub(" ", text)
    chinese = len(CHINESE.findall(prose))
    words = 0 if chinese > 200 else len(WORD.findall(prose))
    return max(1, round(words / WORDS_A_MINUTE + chinese / CHARACTERS_A_MINUTE))


class Numbers(Preprocessor):
    """Fills in the numbers before anything else sees the page."""

    def run(self, lines):
        text = filled("\n".join(lines))
        return text.replace(MINUTES, str(minutes(text))).split("\n")


class NumbersExtension(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Numbers(md), "tilewise_numbers", BEFORE_INCLUDES)


def makeExtension(**options):
    """What Python-Markdown calls to load the extension."""
    return NumbersExtension(**options)
