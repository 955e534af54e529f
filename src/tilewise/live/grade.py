"""Grades what a reader wrote for an exercise: in the page, and for the command line."""

import sys

from tilewise.exercises import NAMES, load
from tilewise.exercises.grading import grade
from tilewise.exercises.sentences import parts
from tilewise.exercises.writing import short
from tilewise.live.reading import Problem
from tilewise.live.runner import NAME, described, forget

MOST, PRINTED = 20000, 2000  # characters of source, of what it prints


def check(asked):
    """{"name", "source", "lang"} → {"passed", "checks", "fault", "printed"}.

    checks is a list of {"check": its name, "fault": None or what is wrong}. The fault
    beside them keeps them from running. A fault has what grading.fault says of it, or
    kind raised without a call, or missing with the function's name; and "parts", the
    sentence in the reader's language.
    """
    name, source, lang = asked["name"], asked["source"], asked["lang"]
    if name not in NAMES:
        raise Problem("not-a-choice", None, token=short(name, 40))
    if len(source) > MOST:
        raise Problem("too-long", None, most=MOST)
    exercise, lines = load(name), []
    fault, function = define(source, exercise.SOLUTION.__name__, lines)
    checks = [] if fault else grade(exercise, function, described)
    if sys.implementation.name == "micropython":  # the page's Python goes on
        forget()
    return {
        "passed": bool(checks) and not any([wrong for _, wrong in checks]),
        "checks": [{"check": x, "fault": worded(wrong, lang)} for x, wrong in checks],
        "fault": worded(fault, lang),
        "printed": "".join(lines)[:PRINTED],
    }


def worded(fault, lang):
    """A fault with its sentence, None as it is."""
    return fault and fault | {"parts": parts(fault, lang)}


def define(source, name, lines):
    """(fault, function): run the source, which prints into lines, and take its name."""

    def note(*values, sep=" ", end="\n", **_):
        if len(lines) < PRINTED:
            lines.append(sep.join([str(x) for x in values]) + end)

    space = {"__name__": "exercise", "print": note}
    try:
        exec(compile(source, NAME, "exec"), space)
    except BaseException as error:  # SystemExit and KeyboardInterrupt too
        return {"kind": "raised"} | described(error), None
    if not callable(space.get(name)):
        return {"kind": "missing", "name": name}, None
    return None, space[name]
