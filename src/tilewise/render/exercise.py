"""An exercise in words and as a text to fill in, for the command line and the pages."""

import ast
import re
from functools import cache
from pathlib import Path

from tilewise.exercises import load

FOLDER = Path(__file__).resolve().parent.parent / "exercises"
HEAD = ("weight", "ignore")  # what stands above the function
BODY = "    ...  # your code\n"
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
    """{"title", "task": paragraphs, "hints": texts, "checks": {check: text}}."""
    text = (FOLDER / f"texts/{lang}/{name}.md").read_text("utf-8")
    title, *task, hints, checks = text.strip().split("\n\n")
    return {
        "title": title.removeprefix("# "),
        "task": task,
        "hints": re.findall(r"^\d\. (.*)$", hints, re.M),
        "checks": dict(re.findall(r"^- ([\w-]+): (.*)$", checks, re.M)),
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


def solution(name):
    """The exercise solved, complete."""
    return whole(name, section(name, "solution"))


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


def start(name):
    """What the reader begins with: a wrong function to mend, or one without a body."""
    exercise, code = load(name), section(name, "solution")
    if hasattr(exercise, "START"):
        return wrong(name)[exercise.START][1]
    body = ast.parse(code).body[-1].body
    lines = code.splitlines(keepends=True)
    return whole(name, "".join(lines[: body[0].end_lineno]) + BODY)
