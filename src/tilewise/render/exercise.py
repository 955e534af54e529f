"""An exercise in words and as a text to fill in, for the command line and the pages."""

import ast
import re
from functools import cache
from pathlib import Path

from tilewise.exercises import load

FOLDER = Path(__file__).resolve().parent.parent / "exercises"
HEAD = ("weight", "ignore", "softmax")  # what stands above the function
BODY = {"en": "    ...  # your code\n", "zh": "    ...  # 写在这里\n"}
PARTS = {  # of the site, as its navigation names them
    "en": {
        "why": "Why",
        "softmax": "Softmax",
        "flash-attention": "FlashAttention",
        "gpu": "GPU",
        "memory": "Memory",
        "pitfalls": "Pitfalls",
    },
    "zh": {
        "why": "为什么",
        "softmax": "Softmax",
        "flash-attention": "FlashAttention",
        "gpu": "GPU",
        "memory": "显存",
        "pitfalls": "陷阱",
    },
}


@cache
def words(name, lang):
    """{"title", "task": paragraphs, "hints": texts, "checks": {check: text}}.

    "docstring" and "comments", pairs of English and translated ones, are those of the
    code in another language than English.
    """
    text = (FOLDER / f"texts/{lang}/{name}.md").read_text("utf-8")
    text, _, code = text.partition('\n\n"""')
    docstring, _, comments = code.partition('"""\n')
    title, *task, hints, checks = text.strip().split("\n\n")
    return {
        "title": title.removeprefix("# "),
        "task": task,
        "hints": re.findall(r"^\d\. (.*)$", hints, re.M),
        "checks": dict(re.findall(r"^- ([\w-]+): (.*)$", checks, re.M)),
        "docstring": docstring.replace("\n", "\n    ").replace("\n    \n", "\n\n"),
        "comments": re.findall(r"^# (.*) → (.*)$", comments, re.M),
    }


def section(name, mark):
    """The lines of a marked section of the exercise's file, "" if there is none."""
    text = (FOLDER / f"{name}.py").read_text("utf-8")
    mark = re.escape(mark)
    ends = rf"# --8<-- \[start:{mark}\]\n(.*?)^ *# --8<-- \[end:{mark}\]$"
    section = re.search(ends, text, re.M | re.S)
    return section[1].rstrip("\n") + "\n" if section else ""


def whole(name, code):
    """The code with the imports above it that the solution needs."""
    heads = ["import math\n" * ("math." in section(name, "solution"))]
    heads = [x for x in heads + [section(name, mark) for mark in HEAD] if x]
    return "\n".join(heads) + "\n\n" * bool(heads) + code


def translated(name, code, lang):
    """The code with its docstring and its comments in a language."""
    told = words(name, lang)
    if told["docstring"]:
        docstring = f'"""{told["docstring"]}"""'
        code = re.sub(r'""".*?"""', lambda _: docstring, code, count=1, flags=re.S)
    for english, comment in told["comments"]:
        code = code.replace(f"# {english}\n", f"# {comment}\n")
    return code


def solution(name, lang="en"):
    """The exercise solved, complete."""
    return translated(name, whole(name, section(name, "solution")), lang)


def wrong(name):
    """{name of a wrong solution: (what is wrong, its source)}, from WRONG's changes."""
    sources = {}
    for entry in re.split(r"\n(?=\w)", load(name).WRONG.strip()):
        head, *changes = entry.split("\n")
        title, _, text = head.partition(": ")
        source = solution(name)
        for change in changes:
            old, new = (x.strip().replace(r"\n", "\n") for x in change.split("→"))
            if old not in source:
                raise ValueError(f"{name}, {title}: there is no {old}")
            source = source.replace(old, new)
        sources[title] = text, source
    return sources


def start(name, lang="en"):
    """What the reader begins with: a wrong function to mend, or one without a body."""
    exercise, code = load(name), section(name, "solution")
    if hasattr(exercise, "START"):
        return translated(name, wrong(name)[exercise.START][1], lang)
    body = ast.parse(code).body[-1].body
    lines = code.splitlines(keepends=True)
    begun = whole(name, "".join(lines[: body[0].end_lineno]) + BODY[lang])
    return translated(name, begun, lang)
