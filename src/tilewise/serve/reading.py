"""Tensors from JSON: nested lists, checked level by level."""

import torch

from tilewise.serve.options import DTYPES, USUAL, gather, strict
from tilewise.serve.problem import short, wrong

LEVELS = ("batch", "heads", "N", "d")
SHAPE = "(batch, heads, N, d)"
KIND = {str: "a string", bool: "true or false", dict: "an object", type(None): "null"}


def from_json(body, query):
    """({"q", "k", "v"}, options) of a body in JSON and the options of the query."""
    found = strict(body, "the body")
    if not isinstance(found, dict):
        raise wrong("the body must be an object with q, k and v")
    known = ("q", "k", "v", "dtype", *USUAL)
    for name in found:
        if name not in known:
            names = ", ".join(known)
            text = f"the body has the unknown name {short(name)}; {names} are known"
            raise wrong(text, short(name))
    name = found.get("dtype", "float32")
    if not isinstance(name, str) or name not in DTYPES:
        text = f"dtype must be one of {', '.join(DTYPES)}, not {short(name)}"
        raise wrong(text, "dtype")
    options = gather({x: found[x] for x in USUAL if x in found}, query)
    dtype = getattr(torch, name)
    return {x: tensor(found, x, dtype) for x in "qkv"}, options


def tensor(found, name, dtype):
    """One tensor (batch, heads, N, d) of nested lists of numbers."""
    if name not in found:
        raise wrong(f"{name} is missing", name)
    shape: list[int] = []
    level = [found[name]]
    for axis in LEVELS:
        for x in level:
            if not isinstance(x, list):
                raise wrong(f"{name} must be lists in lists, {SHAPE}", name)
        lengths = {len(x) for x in level}
        if len(lengths) > 1:
            some = " and ".join(map(str, sorted(lengths)[:2]))
            text = f"{name} is ragged: its lists along {axis} have {some} entries"
            raise wrong(text, name)
        if not lengths or 0 in lengths:
            raise wrong(f"{name} has no entries along {axis}", name)
        shape += lengths
        level = [y for x in level for y in x]
    if types := {*map(type, level)} - {float}:
        kind = types.pop()
        what = KIND.get(kind, f"another list, but its shape is to be {SHAPE}")
        raise wrong(f"{name} contains {what} where a number belongs", name)
    return torch.tensor(level, dtype=torch.float64).to(dtype).view(shape)
