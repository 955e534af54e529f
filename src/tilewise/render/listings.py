"""A Markdown extension: listings that run in the page, and what a search leaves out.

MkDocs and Zensical both load it by the name `tilewise.render.listings`. A listing gets
a Run button (the class `tw-run`) if the page's Python has everything that it imports,
that is floor 0 and a few standard modules. `data-from` says which lines of which file a
block of Python shows; scripts/website/finish.py makes a link of it. Figures, equations
and code stay out of the search index, where they would be noise and half of its size.
"""

import ast
import html
import re
from functools import cache
from pathlib import Path

from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

SOURCE = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r'<div class="language-python (no-copy )?highlight"(.*?</pre></div>)', re.S
)
FENCE = re.compile(r"^([ \t]*```)(?:python|{\.python[^}]*})\n(.*?)^\1\s*$", re.M | re.S)
INCLUDE = re.compile(r'--8<-- "(src/[^":]+)(?::(\w+))?"')
BEFORE_INCLUDES = 36  # pymdownx.snippets has 32
FLOOR_0 = {"math", "fractions"}
RUNS = {*FLOOR_0, "functools", "itertools"}
ROW = "[math.log(2) * x for x in (0, 1, 2, 1)]"  # row 3 of the running example's S
NAMES = ("naive", "safe", "online")
TRY = {f"{name}_softmax": f"print({name}_softmax({ROW}))" for name in NAMES}
TRY["merge"] = "print(merge((math.log(2), 1.5), (math.log(4), 1.5)))"
ROWS = "[[1, 0], [0, 1], [0, 2], [-1, 1]], [[0, 9], [9, 9], [-9, 0], [9, 0]]"  # K, V
TRY["attention_row"] = f"print(attention_row([0, 1], {ROWS}, scale=math.log(2)))"
TRY["SCALE"] = "print([[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q])"
UNSEARCHED = re.compile(
    r'<figure(?= class="tw-figure)|<div class="(?:arithmatex|[^"]*\bhighlight)"'
)
# What a definition ends with: links to the pages on its subject
LEADS = re.compile(
    r'(?<=[.。)）])( ?)((?:<a href="[^"]*">[^<]*</a>[\s,，、；·]*)+)(?=</p>)'
)
RUN, COPY, LINK = 73, 80, 83  # the columns that the buttons of a block leave free


def imports(tree):
    """Every module that the code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = node.module == "tilewise"
            names = (f".{alias.name}" if inside else "" for alias in node.names)
            yield from (f"{node.module}{name}" for name in names)


@cache
def plain():
    """{module: path} of floor 0: what imports only FLOOR_0 and itself."""
    paths = [*SOURCE.glob("[!_]*.py")]
    for package in SOURCE.glob("*/__init__.py"):
        if '"""Floor 0: ' in package.read_text("utf-8"):
            paths += package.parent.glob("*.py")
    names = {
        p: ".".join(p.relative_to(SOURCE.parent).with_suffix("").parts) for p in paths
    }
    modules = {name.removesuffix(".__init__"): path for path, name in names.items()}
    needs = {n: {*imports(ast.parse(p.read_text("utf-8")))} for n, p in modules.items()}
    while beyond := {n for n in needs if not needs[n] <= {*FLOOR_0, *needs}}:
        needs = {n: wanted for n, wanted in needs.items() if n not in beyond}
    apart = ("tilewise.live", "tilewise.exercises")
    return {n: modules[n] for n in sorted(needs) if not n.startswith(apart)}


def line_to_try(code):
    """A line for the end of a listing that prints nothing, by what it defines."""
    names = re.findall(r"^(?:def )?(\w+)(?:\(| = )", code, re.M)
    return next((TRY[name] for name in reversed(names) if name in TRY), "")


def runs(code):
    """Whether the page has all that the code imports, and it can show a result."""
    known = (RUNS | {*plain()}).issuperset(imports(ast.parse(code)))
    return known and ("print(" in code or bool(line_to_try(code)))


def lines(path, section):
    """The first and the last line of a file's section, or of the file."""
    text = Path(path).read_text("utf-8").splitlines()
    if not section:
        return 1, len(text)
    marks = (f"--8<-- [{edge}:{section}]" for edge in ("start", "end"))
    first, last = (next(n for n, x in enumerate(text, 1) if m in x) for m in marks)
    return first + 1, last - 1


def origin(block):
    """Where the longest part of a block is from, such as src/a.py#L3-L9."""
    found = [(path, *lines(path, section)) for path, section in INCLUDE.findall(block)]
    if not found:
        return ""
    path, first, last = max(found, key=lambda x: x[2] - x[1])
    return f"{path}#L{first}-L{last}"


def marked(match, place):
    """A block's HTML, with what the page's script and the end of the build look for."""
    about = f' data-from="{place}"' if place else ""
    excerpt, rest = match[1] or "", match[2]
    code = html.unescape(re.sub(r"<[^>]*>", "", "<" + rest))
    if excerpt or not runs(code):
        apart = room(code, LINK if excerpt else COPY, excerpt)
        return f'<div class="language-python {excerpt}highlight{apart}"{about}{rest}'
    line = "" if "print(" in code else html.escape(line_to_try(code))
    to_try = f' data-try="{line}"' if line else ""
    kind = f"highlight tw-run{room(code, RUN)}"
    return f'<div class="language-python {kind}"{to_try}{about}{rest}'


def room(code, columns, excerpt=""):
    """A class for a block whose first line would go on below its buttons.

    An excerpt has its only one beside its last line instead, if that is short.
    """
    lines = code.strip("\n").split("\n")
    if len(lines[0]) <= columns:
        return ""
    return " tw-low" if excerpt and len(lines[-1]) <= columns else " tw-long"


def unsearched(page):
    """The HTML with the search's own mark on figures, equations, code and LEADS."""
    page = LEADS.sub(r"\1<span data-search-exclude>\2</span>", page)
    return UNSEARCHED.sub(r"\g<0> data-search-exclude", page)


class Origins(Preprocessor):
    """Notes where each block of Python is from, while its includes can be seen."""

    found: list[str] = []

    def run(self, lines):
        blocks = FENCE.findall("\n".join(lines))
        self.found = [origin(block) for _, block in blocks]
        return lines


class Marks(Postprocessor):
    """Marks the HTML of a whole page, after every other extension."""

    origins: Origins

    def run(self, text):
        text = unsearched(text.replace("<th></th>", "<td></td>"))  # no empty headings
        origins = iter(self.origins.found)
        return BLOCK.sub(lambda block: marked(block, next(origins, "")), text)


class Listings(Extension):
    def extendMarkdown(self, md):
        origins, marks = Origins(md), Marks(md)
        marks.origins = origins
        md.preprocessors.register(origins, "tilewise_origins", BEFORE_INCLUDES)
        md.postprocessors.register(marks, "tilewise", -100)


def makeExtension(**options):
    """What Python-Markdown calls to load the extension."""
    return Listings(**options)
