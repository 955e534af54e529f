"""The frames of the tile stepper's film: what each small step of a tile changes.

A step is a dict; what is empty is left out, except i, j, phase, loaded and stored:

i, j, phase     the tile, from 0, and what is done: a name of PHASES, "kv" or "q"
load, store     {name: elements} that cross between HBM and the chip
loaded, stored  elements that have crossed so far, this step's too
held            elements on the chip after it, as `ledger` counts them
drop, put       what leaves the chip, by name, and then what is new on it
hbm             {name: [first row, rows]} that HBM has new
lines           the formulas with numbers, for each row of the tile (dk, dv: each key)
"""

import math

from tilewise.live import formulas, reading
from tilewise.live.counts import stored as to_store

# (phase of a tile, what it makes: (name on the chip, key of the state))
PHASES = {
    "forward": [
        ("s", [("s", "s")]),
        ("tile", [("mt", "m_tilde"), ("pt", "p_tilde"), ("lt", "l_tilde")]),
        ("merge", [("mn", "m_new"), ("a", "alpha"), ("b", "beta"), ("ln", "l_new")]),
        ("o", [("o", "o_new")]),
    ],
    "backward": [
        ("s", [("s", "s")]),
        ("p", [("p", "p")]),
        ("dv", [("dv", "dv_new")]),
        ("dp", [("dp", "dp")]),
        ("delta", [("delta", "delta")]),
        ("ds", [("ds", "ds")]),
        ("dq", [("dq", "dq_new")]),
        ("dk", [("dk", "dk_new")]),
    ],
}
GROUPS = {  # what belongs to a block of keys, and to one of queries
    "forward": {"kv": ["k", "v"], "q": ["q", "o", "l", "m"]},
    "backward": {"kv": ["k", "v", "dk", "dv"], "q": ["q", "o", "do", "l", "m", "dq"]},
}
SETTLED = ("o_old", "o_new", "o", "pv", "dp", "delta", "ds")  # where 1e-17 means 0
SETTLED += ("dq_old", "dk_old", "dv_old", "dq_new", "dk_new", "dv_new")


# registers hold these, and a matrix takes the place of the one that it comes from
REGISTERS = ("mt", "lt", "mn", "a", "b", "ln", "lse", "delta")
PLACE = {"pt": "s", "p": "s", "ds": "dp"}


def steps(states, way, order, exact, first):
    """Every step of every tile; `first` elements were stored before."""
    return counted(every_step(states, way, order, exact), first)


def every_step(states, way, order, exact):
    """Yield (state, step) for every step of every tile."""
    before = None
    for state in states:
        if exact:
            state = clean(state, SETTLED)
        for step in tile_steps(state, before, way, order, exact):
            yield state, step
        before = state


def counted(pairs, first):
    """The steps with their place and with what has crossed and what is held."""
    frames, held, total = [], {}, {"load": 0, "store": first}
    for state, step in pairs:
        for move in ("load", "store"):
            total[move] += sum(step.get(move, {}).values())
        for name in step.get("drop", []):
            held.pop(PLACE.get(name, name), None)
        for name, rows in step.get("put", {}).items():
            if name not in REGISTERS:
                held[PLACE.get(name, name)] = size(rows)
        count = {"loaded": total["load"], "stored": total["store"]}
        count = count | {"held": sum(held.values())}
        place = {"i": state["i"], "j": state["j"]}
        frames.append(place | {x: step[x] for x in step if step[x]} | count)
    return frames


def tile_steps(state, before, way, order, exact):
    """Yield the steps of one tile: two loads, what is computed, the store."""
    gone = {"kv": [], "q": []}
    outer, inner = ("kv", "q") if order == "kv-outer" else ("q", "kv")
    index = "j" if outer == "kv" else "i"
    kept = before is not None and before[index] == state[index]
    if before is not None:
        local = [name for _, parts in PHASES[way] for name, _ in parts]
        if "lse" in to_store(way, order, before):
            local.append("lse")
        both = GROUPS[way]["kv"] + GROUPS[way]["q"]
        gone[outer] = [x for x in local if x not in both] + GROUPS[way][inner]
        gone[outer] += [] if kept else GROUPS[way][outer]
    for group in (outer, inner):
        names = [] if group == outer and kept else GROUPS[way][group]
        step = {"phase": group, "drop": gone[group]}
        step = step | {"put": {x: cells(state[key_of(state, x)], exact) for x in names}}
        moved = [x for x in names if x in state["load"]]
        yield step | {"load": {x: size(state[key_of(state, x)]) for x in moved}}
    for phase, parts in PHASES[way]:
        yield {
            "phase": phase,
            "put": {name: cells(state[key], exact) for name, key in parts},
            "lines": lines(phase, state, exact),
        }
    yield stored(state, way, order, exact)


def stored(state, way, order, exact):
    """The last step of a tile: ℓ and m take their new values, results go to HBM.

    With queries outside, L = m + ln ℓ goes there in place of both.
    """
    settled = ("l", "m") if way == "forward" else ()
    put = {x: state[x + "_new"] for x in settled}
    names = to_store(way, order, state)
    step = {}
    if "lse" in names:
        base = math.log(2) if exact else 1.0
        logs = [math.log(x) / base if x else 0.0 for x in state["l_new"]]
        put = put | {"lse": [m + x for m, x in zip(state["m_new"], logs)]}
        state = state | {"lse_new": put["lse"]}
        step = {"lines": lines("lse", state, exact)}
    new = {x: cells(state[x + "_new"], exact) for x in names}
    first = {x: state["cols" if x in ("dk", "dv") else "rows"][0] for x in new}
    return step | {
        "phase": "store",
        "put": {x: cells(put[x], exact) for x in put},
        "store": {x: size(state[x + "_new"]) for x in new},
        "hbm": {x: [first[x], new[x]] for x in new},
    }


def lines(phase, state, exact):
    """The formulas of a phase, for each row that it makes."""
    count = len(state["k"] if phase in ("dk", "dv") else state["q"])
    return [getattr(formulas, phase)(state, r, exact) for r in range(count)]


def key_of(state, name):
    """The key under which a step holds the tile that it finds on the chip."""
    return name + "_old" if name + "_old" in state else name


def size(x):
    """How many numbers a matrix or a vector has."""
    return sum([len(row) if isinstance(row, list) else 1 for row in x])


def clean(state, names):
    """The state with what should be 0 as 0."""
    return state | {x: settled(state[x]) for x in names if x in state}


def settled(x):
    """Rounding errors of a sum whose exact value is 0, as 0."""
    if isinstance(x, list):
        return [settled(y) for y in x]
    return 0 if abs(x) < 1e-12 else x


def cells(x, exact):
    """Numbers as they are sent: fractions as text, others as floats; None stays."""
    if isinstance(x, list):
        return [cells(y, exact) for y in x]
    return x if x is None else formulas.text(x, True) if exact else reading.safe(x)
