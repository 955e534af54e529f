"""Which form a body has and which one its answer is to have."""

import re

from tilewise.serve.problem import Problem, short
from tilewise.serve.writing import BYTES, JSON, SAFETENSORS

FORMS = (JSON, SAFETENSORS, BYTES)
QUALITY = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)", re.I)


def media(headers):
    """(form of the body, form of the answer), of JSON, SAFETENSORS, BYTES.

    Raises Problem 415 for a body of another Content-Type, 406 where Accept has none of
    the three. The answer has the body's form where Accept leaves the choice.
    """
    given, *rest = split(headers.get("content-type", ""), ";")
    names = ", ".join(FORMS)
    if given not in FORMS:
        text = f"Content-Type must be one of {names}, not {short(given)}"
        raise Problem(415, text, "Content-Type")
    if given == JSON and {*rest} - {"charset=utf-8", 'charset="utf-8"'}:
        text = f"JSON must come as {JSON} in UTF-8, not with {short('; '.join(rest))}"
        raise Problem(415, text, "Content-Type")
    accept = headers.get("accept", "*/*")
    form, *others = sorted(FORMS, key=lambda x: (-quality(accept, x), x != given))
    if not quality(accept, form):
        text = f"Accept must allow one of {names}, not only {short(accept)}"
        raise Problem(406, text, "Accept")
    return given, form


def split(text, mark):
    """The parts between marks, in lower case, without spaces around them."""
    return [x.strip().lower() for x in text.split(mark)]


def quality(accept, form):
    """The weight that Accept gives a form: that of its closest range, 0 for none."""
    found = {}
    for part in split(accept, ","):
        name, *more = split(part, ";")
        weights = [x for x in map(QUALITY.fullmatch, more) if x]
        found[name] = float(weights[0][1]) if weights else 1.0
    ranges = form, form.split("/")[0] + "/*", "*/*"
    return next((found[x] for x in ranges if x in found), 0.0)
