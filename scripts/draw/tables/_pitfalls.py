"""What the three tables of wrong variants share: words, names, letters."""

import re
import string
from functools import cache

from draw import fresh
from draw.tables import _pitfall_words, _pitfall_words_zh
from draw.tables._pitfall_names_zh import WRONG

from tilewise.pitfalls.suite import matrix

WORDS = {"en": _pitfall_words, "zh": _pitfall_words_zh}


def anchor(name):
    """The anchor of a variant in the gallery."""
    return name.replace("_", "-")


def typeset(text):
    """A docstring's e^{x}, S_ij and special characters as Markdown and HTML."""
    text = " ".join(text.split()).replace("<", "&lt;").replace("*", r"\*")
    text = re.sub(r"(?<=\b[a-zℓ])'(?![a-z])", "′", text)  # a prime
    text = re.sub(r"\^(?:\{([^}]*)\}|(\w))", r"<sup>\1\2</sup>", text)
    return re.sub(r"(?<=\b[A-Zqℓ])_(ij|[a-z])\b", r"<sub>\1</sub>", text)


def wrong(pitfall, lang):
    """What is wrong and what is right: in English, the function's own docstring."""
    return typeset(pitfall.wrong.__doc__ if lang == "en" else WRONG[pitfall.name])


@cache
def kills():
    """The matrix of the suite, which takes seconds and the tests ask for too."""
    made = fresh.once(["kills"], lambda: {x: [*names] for x, names in matrix().items()})
    return {name: set(names) for name, names in made.items()}


def letters(tests):
    """{test: A, B, C, ...}, in order."""
    return dict(zip(tests, string.ascii_uppercase))


def rounded(x):
    """Two significant digits, without an exponent from 0.001 on."""
    return f"{x:.2g}" if x >= 1e-3 else f"{x:.5f}"
