"""What the command line computes: the running example, a formula's numbers, a file's.

A problem is a dict: q, k, v, maybe do; scale, how it was chosen, exact (compute in
Fractions); block_rows, block_cols, order, causal, window, softcap, sink, backward.
"""

import math
import os
from typing import Any

from tilewise import worked_example
from tilewise.checks import short, short_path, strict_json
from tilewise.cli.errors import Bad

LIMIT = 64  # rows and columns: more is not for reading
BYTES = 1_000_000  # of a file: 4 matrices of 64 × 64 fit
FORMULA = {"q": (3, 5, 5), "k": (5, 7, 5), "v": (7, 11, 19), "do": (11, 13, 5)}
KEYS = ("q", "k", "v", "do", "scale")


def problem(path, n, d, **options):
    """The problem for --input, --n and --d, of which any may be None."""
    parts: dict[str, Any] = {"exact": False, "formula": None, "scale_name": "root"}
    if path is not None:
        parts |= read(path)
        if options.get("backward") and "do" not in parts:
            raise Bad("missing_key", file=short_path(path), key="do")
        agree(parts, path, n, d)
    elif (n or 4, d or 2) == (4, 2):
        plain = options.get("softcap") is None and not options.get("sink")
        parts |= {"exact": plain, "scale": worked_example.SCALE}
        parts |= {x: getattr(worked_example, x.upper()) for x in KEYS[:4]}
    else:
        parts |= {"formula": FORMULA, **generated(n or 4, d or 2)}
    if "scale" in parts:
        parts["scale_name"] = "scale"
    usual = {"scale": len(parts["q"][0]) ** -0.5, "backward": False}
    usual |= {"window": None, "softcap": None, "sink": None}
    return {**usual, **parts, **options}


def generated(n, d):
    """Q, K, V, dO of n × d small whole numbers, always the same for the same n and d.

    Entry (r, c), from 1, is ((a r² + b r c + c²) mod 67) mod m − ⌊m/2⌋; 67 is a prime
    past LIMIT, so that neither rows nor columns come round again.
    """

    def entry(r, c, a, b, m):
        return float((a * r * r + b * r * c + c * c) % 67 % m - m // 2)

    return {
        name: [[entry(r, c, *abm) for c in range(1, d + 1)] for r in range(1, n + 1)]
        for name, abm in FORMULA.items()
    }


def read(path):
    """The checked content of a JSON file: {"q", "k", "v"} and maybe "scale", "do"."""
    file = short_path(path)
    content = parse(contents(path, file), file)
    if not isinstance(content, dict):
        raise Bad("not_object", file=file)
    for key in content:
        if key not in KEYS:
            raise Bad("unknown_key", file=file, key=short(key))
    for key in KEYS[:3]:
        if key not in content:
            raise Bad("missing_key", file=file, key=key)
    for key in KEYS[:4]:
        if key in content:
            matrix(key, content[key])
    if "scale" in content:
        number(content["scale"], "scale")
    fit(content)
    return content


def contents(path, file):
    """The bytes of a file, at most BYTES of them."""
    if os.path.isdir(path):
        raise Bad("directory", file=file)
    try:
        with open(path, "rb") as opened:
            data = opened.read(BYTES + 1)
    except FileNotFoundError:
        raise Bad("no_file", file=file) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        why = getattr(error, "strerror", None) or str(error)
        raise Bad("unreadable", file=file, why=why) from None
    if len(data) > BYTES:
        raise Bad("large_file", file=file, limit=BYTES)
    return data


def parse(data, file):
    """The value of strict JSON; every number is a float."""
    try:
        return strict_json.loads(data)
    except strict_json.NotStrict as error:
        values = error.values | {"file": file}
        if "key" in values:
            values["key"] = short(values["key"])
        raise Bad(error.reason, **values) from None


def number(x, where):
    """Raise Bad unless x is a finite number (JSON's true is none)."""
    if type(x) is not float:
        raise Bad("not_number", where=where, kind=kind(x))
    if not math.isfinite(x):
        raise Bad("past_range", where=where)


def kind(x):
    """The key of the message that names the type of a JSON value."""
    names = {str: "string", bool: "boolean", list: "list", dict: "object"}
    return "null" if x is None else names.get(type(x), "number")


def matrix(name, x):
    """Raise Bad unless x is a list of 1 to 64 rows of 1 to 64 numbers, all as long."""
    if not isinstance(x, list):
        raise Bad("not_matrix", name=name, kind=kind(x))
    if not 1 <= len(x) <= LIMIT:
        raise Bad("rows", name=name, count=len(x), limit=LIMIT)
    for r, row in enumerate(x, 1):
        if not isinstance(row, list):
            raise Bad("not_row", name=name, r=r, kind=kind(row))
        if not 1 <= len(row) <= LIMIT:
            raise Bad("columns", name=name, r=r, count=len(row), limit=LIMIT)
        if len(row) != len(x[0]):
            raise Bad("ragged", name=name, r=r, count=len(row), first=len(x[0]))
        for c, value in enumerate(row, 1):
            number(value, {"name": name, "r": r, "c": c})


def fit(content):
    """Raise Bad unless Q is N × d, K is N_k × d, V is N_k × d_v, dO is N × d_v."""
    (n, d), (n_k, d_k), (n_v, d_v) = (size(content[x]) for x in "qkv")
    if d != d_k:
        raise Bad("widths", q=d, k=d_k)
    if n_k != n_v:
        raise Bad("heights", k=n_k, v=n_v)
    if "do" in content and size(content["do"]) != (n, d_v):
        raise Bad("gradient", n=n, d=d_v)


def size(x):
    return len(x), len(x[0])


def agree(content, path, n, d):
    """Raise Bad where --n or --d is not what the file holds."""
    for key, typed, actual in zip(
        ("--n", "--d"), (n, d), size(content["q"]), strict=True
    ):
        if typed is not None and typed != actual:
            raise Bad(key, value=typed, file=short_path(path), actual=actual)
