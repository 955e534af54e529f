"""The tile machine's film: a trace, cut into the small steps of each of its tiles.

Nothing is computed twice: every number is taken from the states of `tilewise.trace`. A
step says only what it changes, so that a film is small.
"""

import math

from tilewise import worked_example as example
from tilewise.live import counts, formulas, frames, names, reading, standard
from tilewise.trace import backward, forward, start
from tilewise.trace.grid import limits

MOST_ROWS, MOST_COLS, MOST_BLOCK, LARGEST = 16, 4, 8, 1e4
ORDERS = ("kv-outer", "q-outer")
MASKS = {
    "no": {},
    "bottom-right": {"causal": True},
    "top-left": {"causal": "top-left"},
    "window": {"window": (1, 0)},
}
USUAL = {
    "pass": "forward",
    "order": "kv-outer",
    "causal": "no",
    "scale": "ln 2",
    "softcap": "",
    "sink": "",
    "n": "",
    "block_rows": example.BLOCK_ROWS,
    "block_cols": example.BLOCK_COLS,
    "q": example.Q,
    "k": example.K,
    "v": example.V,
    "do": example.DO,
}


def film(asked):
    """What the machine shows, from what a reader chose; all keys may be left out.

    {"pass": "forward" or "backward", "order": one of ORDERS or (forward) "standard",
    "causal": one of MASKS, "block_rows", "block_cols", "scale": "ln 2", "1/√d" or a
    number, "softcap", "sink": nothing or a number, "q", "k", "v", "do": texts or lists,
    "n": nothing, or how many rows each of these shall have, its own again and again} →
    sizes, "counts" of every method, "hbm" before the first step, "room", the most that
    is on the chip at once, "steps", and with "n" the matrices, as "inputs".
    Raises reading.Problem: that of a field, or rows and cols(n, other, m).
    """
    way, order, exact, scale, causal, blocks, matrices = read(asked)
    rule = rules(USUAL | asked)
    exact = exact and rule["softcap"] is None and not rule["sink"]
    how = MASKS[causal] | {"scale": scale} | rule
    if exact:
        how = how | example.EXACT | {"exp": lambda x: 2.0**x}  # any x, as a float
    play = whole if order == "standard" else tiled
    steps, hbm, general, first = play(way, order, exact, matrices, blocks, how)
    answer = {"pass": way, "order": order, "causal": causal, "exact": exact}
    answer = answer | sizes(order, causal, matrices, blocks)
    answer = answer | {"scale": scale, "first": first}
    if asked.get("n"):
        answer = answer | {"inputs": dict(zip(("q", "k", "v", "do"), matrices))}
    answer = answer | {"hbm": {x: frames.cells(hbm[x], exact) for x in hbm}}
    answer = answer | names.names(way, order) | {"general": general}
    total = counts.counts(way, matrices, blocks, MASKS[causal])
    answer = answer | {"counts": total, "room": max([x["held"] for x in steps])}
    return answer | {"steps": steps}


def sizes(order, causal, matrices, blocks):
    """N, N_k, d, d_v, the blocks, and which keys row r sees: r + low to r + high."""
    q, k, v, _ = matrices
    cols = len(k) if order == "standard" else blocks[1]
    sees = limits(len(q), len(k), **MASKS[causal])
    made = {"n": len(q), "n_k": len(k), "d": len(q[0]), "d_v": len(v[0])}
    return made | {"block_rows": blocks[0], "block_cols": cols, "sees": list(sees)}


def tiled(way, order, exact, matrices, blocks, how):
    """(steps, HBM before the first, the formulas, elements stored before)."""
    states, hbm = played(way, matrices, blocks, how | {"order": order})
    first = sum([frames.size(hbm[x]) for x in counts.started(way, order)])
    formula = formulas.GENERAL
    if how["softcap"] is not None:
        formula = formula | formulas.CAPPED
    general = {x: formula[x] for x, _ in frames.PHASES[way]}
    if way == "forward" and order == "q-outer":
        general = general | {"store": formula["store"]}
    return frames.steps(states, way, order, exact, first), hbm, general, first


def whole(_, order, exact, matrices, blocks, how):
    """The same of standard attention."""
    q, k, v, _ = matrices
    hbm = {"q": q, "k": k, "v": v, "s": None, "p": None, "o": None}
    states = standard.states(matrices, blocks[0], how)
    steps = frames.counted(standard.steps(states, exact), 0)
    return steps, hbm, standard.general(how), 0


def played(way, matrices, blocks, how):
    """The states of the trace, and what HBM holds before its first."""
    q, k, v, do = matrices
    states, hbm = list(forward(q, k, v, *blocks, **how)), {"q": q, "k": k, "v": v}
    if way == "backward":
        end = states[-1]
        hbm = hbm | {"o": end["o"], "do": do, "l": end["l"], "m": end["m"]}
        saved = end["o"], do, end["m"], end["l"]
        rule = {x: how[x] for x in how if x != "sink"}  # m and ℓ have it
        states = list(backward(q, k, v, *saved, *blocks, **rule))
    return states, hbm | results(way, how["order"], q, k, v, how["sink"])


def read(asked):
    """Everything that was asked, checked: (pass, order, exact, scale, …)."""
    asked = USUAL | asked
    way = reading.choice(asked["pass"], "pass", ("forward", "backward"))
    orders = ORDERS + ("standard",) * (way == "forward")
    order = reading.choice(asked["order"], "order", orders)
    causal = reading.choice(asked["causal"], "causal", tuple(MASKS))
    blocks = ("block_rows", "block_cols")
    blocks = [reading.whole(asked[x], x, 1, MOST_BLOCK) for x in blocks]
    size = MOST_ROWS, MOST_COLS
    used = ("q", "k", "v", "do") if way == "backward" or asked["n"] else ("q", "k", "v")
    matrices = {x: reading.matrix(asked[x], x, *size, limit=LARGEST) for x in used}
    if asked["n"]:
        n = reading.whole(asked["n"], "n", 1, MOST_ROWS)
        matrices = {x: again(rows, n) for x, rows in matrices.items()}
    q, k, v, do = [matrices.get(x) for x in ("q", "k", "v", "do")]
    fit("cols", "k", len(k[0]), "q", len(q[0]))
    fit("rows", "v", len(v), "k", len(k))
    if way == "backward":
        fit("rows", "do", len(do), "q", len(q))
        fit("cols", "do", len(do[0]), "v", len(v[0]))
    exact, scale = scale_of(asked["scale"], len(q[0]))
    return way, order, exact, scale, causal, blocks, (q, k, v, do)


def again(rows, n):
    """n rows: the first ones, and where they end from the beginning."""
    return [rows[r % len(rows)] for r in range(n)]


def fit(code, field, n, other, most):
    """Raise Problem rows or cols(n, other, m) unless two matrices have as many."""
    if n != most:
        raise reading.Problem(code, field, n=n, other=other, m=most)


def scale_of(value, d):
    """(whether τ = ln 2, so that powers are powers of two, τ) from text."""
    name = reading.token_of(value).replace(" ", "").lower()
    if name in ("ln2", "log2", "log(2)", "ln(2)"):
        return True, math.log(2)
    if name in ("", "1/√d", "1/sqrtd", "1/sqrt(d)", "d^-0.5"):
        return False, d**-0.5
    return False, reading.real(value, "scale", -100, 100)


def rules(asked):
    """{"softcap", "sink"}: numbers, or None where a field is empty."""
    limits = {"softcap": (0.01, 100), "sink": (-100, 100)}
    given = {x: reading.token_of(asked[x]) for x in limits}
    return {
        x: reading.real(given[x], x, *limits[x]) if given[x] else None for x in limits
    }


def results(way, order, q, k, v, sink):
    """What HBM holds of the results before the first tile; None is not written yet."""
    if way == "backward":
        named = {"dq": q, "dk": k, "dv": v}
        return {name: [[0] * len(x[0]) for _ in x] for name, x in named.items()}
    if order == "q-outer":
        return {"o": None, "lse": None}
    return start(q, v, sink)
