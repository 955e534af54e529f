"""JSON exactly as RFC 8259 has it, for input that nobody has looked at.

Python's reader takes NaN and Infinity, and of two equal names in an object it drops
one. This reader refuses both, takes linear time, and turns every number into a float; a
number past the range of a float becomes ±inf, which the caller can name by its place.
"""

import json
import math

SENTENCES = {
    "encoding": "is not text in UTF-8",
    "not_json": "is not valid JSON (line {line}, column {column})",
    "nested": "is nested too deeply",
    "names": "has {count} names in one object",
    "twice": "names {key!r} twice in one object",
    "constant": "contains {name}, which is not a number that JSON has",
}


class NotStrict(ValueError):
    """Bytes that are not strict JSON: a key of SENTENCES and the values to fill in."""

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(SENTENCES[reason].format(**values))
        self.reason, self.values = reason, values


def loads(data: bytes, most_names: float = math.inf) -> object:
    """The value of a JSON text in UTF-8, with at most so many names in an object.

    Raises NotStrict.
    """

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(pairs) > most_names:
            raise NotStrict("names", count=len(pairs))
        return unique(pairs)

    try:
        text = data.decode("utf-8-sig")
        return json.loads(
            text, parse_int=float, parse_constant=constant, object_pairs_hook=members
        )
    except UnicodeDecodeError:
        raise NotStrict("encoding") from None
    except json.JSONDecodeError as error:
        at = {"line": error.lineno, "column": error.colno}
        raise NotStrict("not_json", **at) from None
    except RecursionError:
        raise NotStrict("nested") from None


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object from its names and values; raises NotStrict for a name that repeats."""
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise NotStrict("twice", key=name)
        members[name] = value
    return members


def constant(name: str) -> None:
    """Raise NotStrict for NaN, Infinity and -Infinity."""
    raise NotStrict("constant", name=name)
