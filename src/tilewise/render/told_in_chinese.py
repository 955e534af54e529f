"""A Markdown extension: a Chinese page tells its listings' comments in Chinese.

The code is the same in both languages and runs as it is in its file. On a Chinese page,
a comment or a docstring is shown in Chinese if scripts/website/comments-zh.txt has it:
the English words, `==`, the Chinese ones, and `%%` between two entries. White space
does not count in the English words, so a comment of several lines is one entry. The
lines of a paper ("line 7: …") need none. What has no entry stays as it is.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

FILE = Path("scripts/website/comments-zh.txt")  # below the folder of the site's sources
CHINESE = re.compile("[\u4e00-\u9fff]")
FENCE = re.compile(r"^([ \t]*)(`{3,})(?:python|\{\.python .*?\})\n", re.M)
DOCSTRING = re.compile(r'^([ \t]*)"""(.*?)"""', re.M | re.S)
BLOCK = re.compile(r"^([ \t]*)# .*\n(?:\1# .*\n)*", re.M)
COMMENT = re.compile(r"(?<=\S {2})# (.*)$", re.M)
LINES = re.compile(r"lines? (\d+)(?:(?:, | and )(\d+))?(?:(?:: |, )(.*))?")
WORD = r"(?:\([^()\u2e80-\uffef]*\)|[^\s()\u2e80-\uffef]|[()])+"
PIECE = re.compile(rf"[\u2e80-\uffef]|{WORD}(?: [=→−+] {WORD})*|\s+")
CLOSING = "，。、；：）》”"  # does not begin a line
COLUMNS = 88
BETWEEN = 28  # pymdownx.snippets has 32, superfences 25


def key(text):
    """The words of a comment, whatever the white space between them."""
    return " ".join(text.split())


@cache
def words(path, _changed=None):
    """{English comment or docstring: Chinese}; read again when the file has changed."""
    entries = path.read_text("utf-8").strip("\n").split("\n%%\n")
    pairs = (entry.split("\n==\n") for entry in entries)
    return {key(english): chinese for english, chinese in pairs}


def columns(text):
    """How wide a text is where a Chinese character takes two columns."""
    return sum(1 + (unicodedata.east_asian_width(x) in "WF") for x in text)


def wrapped(line, width):
    """The line in pieces of at most so many columns."""
    rows = [""]
    for piece in PIECE.findall(line):
        full = columns(rows[-1] + piece.rstrip()) > width and piece not in CLOSING
        rows[-1] = rows[-1].rstrip() if full else rows[-1] + piece
        if full:
            rows.append(piece.lstrip())
    return rows


def chinese(text, told):
    """What an English comment is in Chinese, or None."""
    text = key(text)
    if text in told or not (found := LINES.fullmatch(text)):
        return told.get(text)
    lines = f"第 {'、'.join(filter(None, found.group(1, 2)))} 行"
    return lines + (f"：{told.get(found[3], found[3])}" if found[3] else "")


def translated(code, told, most=COLUMNS):
    """Code with its comments and docstrings in the words of {English: Chinese}."""

    def paragraphs(new, indent, mark):
        width = most - len(indent) - len(mark) - 7  # quotes, and a closing mark
        rows = [row for line in new.split("\n") for row in wrapped(line, width)]
        return [f"{indent}{mark}{row}" if row else "" for row in rows]

    def docstring(match):
        if (new := chinese(match[2], told)) is None:
            return match[0]
        first, *more = paragraphs(new, match[1], "")
        end = f"\n{match[1]}" if more else ""
        text = "\n".join([first[len(match[1]) :], *more])
        return f'{match[1]}"""{text}{end}"""'

    def block(match):
        lines = (line.strip().removeprefix("# ") for line in match[0].splitlines())
        new = chinese(" ".join(lines), told)
        return "\n".join([*paragraphs(new, match[1], "# "), ""]) if new else match[0]

    def comment(match):
        return f"# {chinese(match[1], told) or match[1]}"

    return COMMENT.sub(comment, BLOCK.sub(block, DOCSTRING.sub(docstring, code)))


def in_chinese(text, told):
    """A page's text with all of its Python blocks translated."""
    parts, at = [], 0
    while opening := FENCE.search(text, at):
        indent, fence = opening.groups()
        closing = re.compile(rf"^{indent}{fence}$", re.M).search(text, opening.end())
        end = closing.start() if closing else len(text)
        code = text[opening.end() : end]
        shown = translated(code, told, COLUMNS + len(indent))
        parts += [text[at : opening.end()], shown]
        at = end
    return "".join([*parts, text[at:]])


class Told(Preprocessor):
    """Translates when the includes are there and fences are not HTML yet."""

    def run(self, lines):
        text = "\n".join(lines)
        if len(CHINESE.findall(text)) < 200 or not FILE.exists():
            return lines
        return in_chinese(text, words(FILE, FILE.stat().st_mtime_ns)).split("\n")


class ToldInChinese(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Told(md), "tilewise_told_in_chinese", BETWEEN)


def makeExtension(**options):
    """What Python-Markdown calls to load the extension."""
    return ToldInChinese(**options)
