"""The exercises as they stand on a page before a script touches them, folded up.

docs/assets/js/exercise.js takes the start text and the names of the checks from here.
"""

from html import escape

from markdown import markdown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tilewise import exercises
from tilewise.render.exercise import PARTS, solution, start, words

NAMES = (*exercises.NAMES, "progress")
SAID = {
    "en": {
        "hint": "Hint {n}",
        "checks": "What is checked",
        "start": "What you begin with",
        "mend": "The code to fix",
        "solution": "A solution",
        "terminal": "In a terminal: `python -m tilewise exercise {name}`",
    },
    "zh": {
        "hint": "提示 {n}",
        "checks": "会检查的情形",
        "start": "从这里开始",
        "mend": "要改正的代码",
        "solution": "参考答案",
        "terminal": "在终端里做：`python -m tilewise exercise {name}`",
    },
}


def draw(name, lang):
    """The HTML of one exercise, or of the list of all."""
    made = progress(lang) if name == "progress" else exercise(name, lang)
    return f'<div class="tw-widget" data-search-exclude>\n{made}\n</div>'


def exercise(name, lang):
    told, said = words(name, lang), SAID[lang]
    begin = "mend" if hasattr(exercises.load(name), "START") else "start"
    hints = [
        fold("hint", said["hint"].format(n=n), markdown(hint))
        for n, hint in enumerate(told["hints"], 1)
    ]
    checks = "\n".join(
        f'<li data-check="{key}">{escape(text)}</li>'
        for key, text in told["checks"].items()
    )
    parts = [
        f'<tw-exercise name="{name}">',
        markdown("\n\n".join(told["task"])),
        fold("begin", said[begin], code(start(name, lang))),
        fold("checks", said["checks"], f"<ul>\n{checks}\n</ul>"),
        *hints,
        fold("solution", said["solution"], code(solution(name, lang))),
        markdown(said["terminal"].format(name=name)),
        "</tw-exercise>",
    ]
    return "\n".join(parts)


def fold(kind, summary, inside):
    head = f'<details class="tw-{kind}"><summary>{summary}</summary>'
    return f"{head}\n{inside}\n</details>"


def code(source):
    shown = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n")
    return f'<pre class="highlight"><code>{shown}</code></pre>'


def progress(lang):
    """Links to all exercises, by part."""
    items = []
    for part, names in exercises.PARTS:
        links = "\n".join(
            f'<li data-name="{name}"><a href="#{name.replace("_", "-")}">'
            f"{escape(words(name, lang)['title'])}</a></li>"
            for name in names
        )
        items.append(f"<li>{PARTS[lang][part]}\n<ul>\n{links}\n</ul></li>")
    inside = "\n".join(items)
    return f"<tw-progress>\n<ul>\n{inside}\n</ul>\n</tw-progress>"
