"""A trace as strict JSON, piece by piece: floats of the formula, and null for −∞."""

import json
import math

from tilewise.trace.symbols import in_units

INDICES = {"i", "j", "rows", "cols", "low", "high"}
INDICES |= {"load", "store", "softcap"}


def plain(x, unit=1):
    """Fractions and whole numbers as floats, −∞ as None, lists item by item."""
    if isinstance(x, list):
        return [plain(y, unit) for y in x]
    return None if x == -math.inf else float(x * unit) + 0.0  # + 0.0: no -0.0


def step(state, scale, exact):
    """The state of one step with plain numbers; an exact S and m is multiplied by τ."""
    numbers = {}
    for key, x in state.items():
        unit = scale if exact and in_units(key) else 1
        numbers[key] = x if key in INDICES else plain(x, unit)
    return {**numbers, "scale": scale}


def dump(x):
    return json.dumps(x, ensure_ascii=False, allow_nan=False)


def json_lines(problem, states, end):
    """Yield the lines of one JSON object; states come one by one and are not kept.

    Raises ValueError rather than write a number that JSON does not have.
    """
    exact, scale = problem["exact"], problem["scale"]
    head = {"n": len(problem["q"]), "d": len(problem["q"][0])}
    head |= {x: problem[x] for x in ("block_rows", "block_cols", "order", "causal")}
    head |= {x: problem[x] for x in ("window", "softcap", "sink")} | {"scale": scale}
    back = problem["backward"]
    head |= {x: plain(problem[x]) for x in (("q", "k", "v", "do") if back else "qkv")}
    yield "{"
    for key, x in head.items():
        yield f"{dump(key)}: {dump(x)},"
    yield '"steps": ['
    for t, state in enumerate(states, 1):
        yield dump(step(state, scale, exact)) + ("," if t < end["steps"] else "")
    yield "],"
    for key in ("dq", "dk") if back else "olm":
        unit = scale if exact and in_units(key) else 1
        yield f'"{key}": {dump(plain(end[key], unit))},'
    if back and end["dsink"] is not None:
        yield f'"dsink": {dump(plain(end["dsink"]))},'
    last = "dv" if back else "lse"
    yield f'"{last}": {dump(plain(end[last]))}'
    yield "}"
