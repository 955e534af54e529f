"""Each page with listings as a notebook, which runs in an empty folder.

Text becomes Markdown that every notebook knows, a listing becomes a cell with the
output that its page shows, and a program that starts processes becomes a file that the
next cell runs. Figures, exercises and other pages are links to the site.
"""

import re
from functools import cache
from itertools import count
from pathlib import Path
from textwrap import dedent
from urllib.parse import urljoin

import jupytext
import nbformat
from markdown import Markdown
from nbformat import v4
from website import carried

from tilewise.render import inline_numbers, told_in_chinese

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ROOT / "docs/generated/numbers"
LEAD = re.compile(r'<p class="tw-lead">.*?</p>.*?<p>(?:(?!</p>).)*[^:：](?=</p>)', re.S)
META = re.compile(r"\A---\n.*?\n---\n", re.S)
FENCE = re.compile(r"^( *)(`{3,})([^\n]*)\n(.*?)^\1\2$\n?", re.M | re.S)
FOLDED = re.compile(r'^\?\?\?\+? \w+ "(.*)"\n((?:(?: {4}.*)?\n)+)', re.M)
FIGURE = re.compile(r'<figure[^>]* class="tw-figure.*?</figure>', re.S)
CAPTION = re.compile(r"<figcaption[^>]*>(.*?)</figcaption>", re.S)
EXERCISE = re.compile(r'^--8<-- "docs/generated/exercises/.*"$', re.M)
ATTRIBUTES = re.compile(r" ?\{ [#.][\w .#-]+ \}")
LINK = re.compile(r"(?<=\]\()(?!https?:)[^)\s]+|(?<= href=\")(?!https?:)[^\"]+")
STARTS = re.compile(r"^(?:import|from) .*\bmultiprocessing\b|asyncio\.run\(", re.M)
LISTING, EXCERPT, OUTPUT = "python", "{.python .no-copy}", "{.text .output .no-copy}"
SAID = {
    "en": {
        "begin": "This notebook is [a page of Tilewise]({page}). It needs {needs}.",
        "setup": " The next cell provides what is missing, also of the book's own"
        " package `tilewise`.",
        "python": "nothing but Python",
        "comma": ", ",
        "figure": "Figure {n}",
        "exercise": "The exercise runs in the page",
        "offer": ' You can also <a href="{file}" download>download this page as a'
        " notebook</a>.",
    },
    "zh": {
        "begin": "这份 notebook 是[《逐块》的一页]({page})，需要 {needs}。",
        "setup": "下一个单元会补上缺少的包，包括本书自己的 `tilewise`。",
        "python": "Python",
        "comma": "、",
        "figure": "图 {n}",
        "exercise": "这个练习在网页里运行",
        "offer": '本页也可以<a href="{file}" download>下载为 notebook</a>。',
    },
}


@cache
def snippets():
    """The extension that puts a file, or a part of it, in place of an include."""
    name, options = "pymdownx.snippets", {"base_path": [str(ROOT)]}
    options |= {"check_paths": True, "dedent_subsections": True}
    return Markdown(extensions=[name], extension_configs={name: options})


def included(text):
    """The text with its includes."""
    return "\n".join(snippets().preprocessors["snippet"].run(text.split("\n")))


def told(code, language):
    """Code with its comments in the page's language."""
    if language == "en":
        return code
    words = told_in_chinese.words(ROOT / told_in_chinese.FILE)
    return told_in_chinese.translated(code, words)


def plain(text, here, language, figures):
    """Markdown without what only this site knows; links lead to the site."""
    said = SAID[language]

    def figure(match):
        number = next(figures)
        link = f"[{said['figure'].format(n=number)}]({here}#figure-{number})"
        caption = CAPTION.search(match[0])
        return f"*{link}*" + (f" {caption[1]}" if caption else "")

    def address(match):
        path = re.sub(r"\.(?:md|py)(?=#|$)", ".html", match[0])
        return urljoin(here, match[0] if "assets/" in path else path)

    text = EXERCISE.sub(f"[{said['exercise']}]({here}#exercise)", text)
    text = unfolded(included(FIGURE.sub(figure, text)) + "\n")
    text = ATTRIBUTES.sub("", LINK.sub(address, text))
    return re.sub(r"\\[()]", "$", text).strip()


def unfolded(text):
    """The text without boxes: a title, then what is in it."""
    return FOLDED.sub(lambda x: f"**{x[1]}**\n\n{dedent(x[2])}\n", text)


def parts(path):
    """[("", text) or (what a fence says it is, what is in it)] of a page."""
    text = inline_numbers.filled(META.sub("", path.read_text("utf-8")), NUMBERS)
    text = text.replace(inline_numbers.MINUTES, str(inline_numbers.minutes(text)))
    text, found, at = unfolded(text), [], 0
    for fence in FENCE.finditer(text):
        inside = included(dedent(fence[4])).strip("\n")
        found += [("", text[at : fence.start()]), (fence[3], inside)]
        at = fence.end()
    found.append(("", text[at:]))
    return [(kind, inside) for kind, inside in found if inside.strip()]


def cells(path, here, language):
    """The cells of a page, with what it shows that they print."""
    found, figures = parts(path), count(1)
    kinds = [kind for kind, _ in found] + [""]
    pairs = list(zip(kinds, kinds[1:]))
    last = max((n for n, x in enumerate(pairs) if x == (EXCERPT, OUTPUT)), default=-1)
    for n, (kind, inside) in enumerate(found):
        output = found[n + 1][1] + "\n" if kinds[n + 1] == OUTPUT else ""
        if kind == LISTING or kind == EXCERPT and n <= last:  # they build on each other
            code, name = told(inside, language), f"{path.stem}_{n}.py".replace("-", "_")
            if STARTS.search(code):  # processes import the file that they are from
                yield v4.new_code_cell(f"%%writefile {name}\n{code}")
                code = f"!{{sys.executable}} {name}"
            printed = [v4.new_output("stream", name="stdout", text=output)]
            yield v4.new_code_cell(code, outputs=printed if output else [])
        elif kind == OUTPUT and kinds[n - 1] in (LISTING, EXCERPT):
            continue  # is below its cell
        elif kind:
            word = {EXCERPT: "python", OUTPUT: "text"}.get(kind, kind)
            inside = told(inside, language) if kind == EXCERPT else inside
            yield v4.new_markdown_cell(f"```{word}\n{inside}\n```")
        else:
            yield v4.new_markdown_cell(plain(inside, here, language, figures))


def of_python_file(path, here, language):
    """The cells of a page that is a notebook, which has no outputs yet."""
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "markdown":
            yield v4.new_markdown_cell(plain(cell.source, here, language, count(1)))
        elif cell.cell_type == "code":
            yield v4.new_code_cell(cell.source)


def notebook(path, here, language):
    """A page as a notebook, in JSON: the same bytes in every build."""
    make, said = (cells if path.suffix == ".md" else of_python_file), SAID[language]
    found = [*make(path, here, language)]
    codes = [x.source for x in found if x.cell_type == "code"]
    codes = [re.sub(r"^%%.*\n|^!.*", "", code) for code in codes]
    needs, setup = carried.setup(codes)
    names = said["comma"].join(f"`{x}`" for x in needs) or said["python"]
    about = said["begin"].format(page=here, needs=names)
    first = [v4.new_markdown_cell(about + said["setup"] * bool(setup))]
    hidden = {"jupyter": {"source_hidden": True}}
    first += [v4.new_code_cell(setup, metadata=hidden)] * bool(setup)
    found = [*first, *found]
    for n, cell in enumerate(found):
        cell["id"] = f"cell-{n}"  # else random
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = v4.new_notebook(cells=found, metadata={"kernelspec": kernel})
    nbformat.validate(book)
    return nbformat.writes(book).encode()


@cache
def lessons(language):
    """{path below the language's folder: file} of the pages that have a notebook."""
    folder = ROOT / "docs" / language
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".md", ".py"))
    listing = re.compile(r"^ *```python$", re.M)
    return {
        p.relative_to(folder).with_suffix("").as_posix(): p
        for p in files
        if p.suffix == ".py" or listing.search(p.read_text("utf-8"))
    }


def notebooks(language, site_url):
    """The notebooks of a language: (path below its folder, content)."""
    for name, path in lessons(language).items():
        here = urljoin(site_url, f"{name}.html")
        yield f"{name}.ipynb", notebook(path, here, language)


def offered(page, name, language):
    """A page's HTML with a link to its notebook in a paragraph after the lead."""
    if name not in lessons(language) or lessons(language)[name].suffix == ".py":
        return page
    offer = SAID[language]["offer"].format(file=f"{Path(name).name}.ipynb")
    return LEAD.sub(lambda match: f"{match[0]}{offer}", page, count=1)
