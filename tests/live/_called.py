"""Calls a function of tilewise by name; the same file runs in both Pythons."""

import json
import math
from fractions import Fraction

from tilewise.live.reading import safe

NAMED = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
NAMED["exp2"] = lambda x: 2.0**x
DATA = (bool, list, tuple, dict, int, float, str)


def revived(x):
    """The argument that a JSON text meant: infinities and functions are named."""
    if isinstance(x, dict):
        return {key: revived(value) for key, value in x.items()}
    if isinstance(x, list):
        return [revived(value) for value in x]
    return NAMED.get(x, x) if isinstance(x, str) else x


def called(text):
    """{"module", "name", "args", "how"} → {"made"} or {"error"}, all in JSON."""
    asked = json.loads(text)
    package = __import__("tilewise." + asked["module"])
    for part in asked["module"].split("."):
        package = getattr(package, part)
    how = {key: revived(value) for key, value in asked["how"].items()}
    made = getattr(package, asked["name"])
    try:
        if callable(made):
            made = made(*revived(asked["args"]), **how)
        if isinstance(made, Fraction):
            made = str(made)
        if made is not None and not isinstance(made, DATA):
            made = list(made)  # what a generator yields
        return json.dumps({"made": safe(made)})
    except ValueError as error:
        return json.dumps({"error": "ValueError", "text": str(error)})
    except Exception as error:
        return json.dumps({"error": type(error).__name__})
