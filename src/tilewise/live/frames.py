"""The frames of the tile stepper's film: what each small step of a tile changes.

A step is a dict; what is empty is left out, except i, j, phase, loaded and stored:

i, j, phase     the tile, from 0, and what is done: a name of PHASES, "kv" or "q"
load, store     {name: elements} that cross between HBM and the chip
loaded, stored  elements that have crossed so far, this step's too
drop, put       what leaves the chip, by name, and then what is new on it
hbm             {name: [first row, rows]} that HBM has new
lines           the formulas with numbers, for each row of the tile (dk, dv: each key)
"""

from tilewise.live import formulas, reading

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


def steps(states, way, order, exact, first):
    """Every step of every tile; `first` elements were stored before."""
    frames, before, total = [], None, {"load": 0, "store": first}
    for state in states:
        if exact:
            state = state | {x: settled(state[x]) for x in SETTLED if x in state}
        for step in tile_steps(state, before, way, order, exact):
            for move in ("load", "store"):
                total[move] += sum(step.get(move, {}).values())
            count = {"loaded": total["load"], "stored": total["store"]}
            place = {"i": state["i"], "j": state["j"]}
            frames.append(place | {x: step[x] for x in step if step[x]} | count)
        before = state
    return frames


def tile_steps(state, before, way, order, exact):
    """Yield the steps of one tile: two loads, what is computed, the store."""
    gone = {"kv": [], "q": []}
    outer, inner = ("kv", "q") if order == "kv-outer" else ("q", "kv")
    index = "j" if outer == "kv" else "i"
    kept = before is not None and before[index] == state[index]
    if before is not None:
        local = [name for _, parts in PHASES[way] for name, _ in parts]
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
    yield stored(state, way, exact)


def stored(state, way, exact):
    """The last step of a tile: ℓ and m take their new values, results go to HBM."""
    settled = ("l", "m") if way == "forward" else ()
    new = {x: cells(state[x + "_new"], exact) for x in state["store"]}
    first = {x: state["cols" if x in ("dk", "dv") else "rows"][0] for x in new}
    return {
        "phase": "store",
        "put": {x: cells(state[x + "_new"], exact) for x in settled},
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
