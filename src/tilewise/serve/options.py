"""The options of a request, from JSON, from safetensors' metadata or from the query."""

import json
import math
import re
from typing import Any
from urllib.parse import parse_qsl

from tilewise.serve.problem import bad, short, wrong

DTYPES = {  # name in JSON: name in safetensors
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
}
USUAL = {"causal": False, "scale": None, "return_lse": False, "allow_nonfinite": False}
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
CAUSAL = 'causal must be false, true or "top-left"'


def gather(*sources):
    """All options from several dicts, of which no two have the same one."""
    found: dict[str, Any] = {}
    for source in sources:
        for name in source:
            if name not in USUAL:
                names = ", ".join(USUAL)
                raise wrong(f"there is no option {short(name)}, only {names}", "query")
            if name in found:
                raise wrong(f"{name} is given twice", name)
        found |= source
    return USUAL | {name: check(name, x) for name, x in found.items()}


def check(name, x):
    """The value of an option, if it has the right type."""
    if name == "causal":
        if isinstance(x, bool) or x == "top-left":
            return x
        raise wrong(f"{CAUSAL}, not {short(x)}", name)
    if name == "scale":
        if x is None or type(x) is float and math.isfinite(x):
            return x
        raise wrong(f"scale must be null or a finite number, not {short(x)}", name)
    if isinstance(x, bool):
        return x
    raise wrong(f"{name} must be true or false, not {short(x)}", name)


def from_query(raw):
    """{name: value} of a query string (bytes), words turned into values."""
    try:
        text = raw.decode("ascii")
        pairs = parse_qsl(
            text,
            keep_blank_values=True,
            strict_parsing=bool(text),
            errors="strict",
            max_num_fields=16,
        )
    except ValueError:
        raise bad("the query is not made of at most 16 name=value", "query") from None
    return from_words(pairs)


def from_words(pairs):
    """{name: value} of (name, word) pairs: true, false, a number, or the word."""
    found = {}
    for name, word in pairs:
        if name in found:
            raise wrong(f"{short(name)} is given twice", "query")
        if not isinstance(word, str):
            raise bad(f"the value of {short(name)} is not a string", "__metadata__")
        number = len(word) <= 32 and NUMBER.fullmatch(word)
        constants = {"true": True, "false": False}
        found[name] = float(word) if number else constants.get(word, word)
    return found


def strict(text, what):
    """Strict JSON from bytes: UTF-8, every number a float, no name twice, no NaN."""

    def unique(pairs):
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(x for x in names if names.count(x) > 1)
            raise bad(f"{what} names {short(twice)} twice in one object", short(twice))
        return made

    def constant(name):
        raise bad(f"{what} contains {name}, which JSON does not have")

    how: dict[str, Any] = {"parse_int": float, "parse_constant": constant}
    try:
        return json.loads(text.decode("utf-8"), **how, object_pairs_hook=unique)
    except UnicodeDecodeError:
        raise bad(f"{what} is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise bad(f"{what} is not valid JSON ({at})") from None
    except RecursionError:
        raise bad(f"{what} is nested too deeply") from None
