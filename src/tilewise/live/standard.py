"""The machine's film of standard attention, block of rows by block of rows.

Algorithm 0 of FlashAttention, arXiv 2205.14135, as three kernels: S = τ Q Kᵀ, then
P = softmax(S), then O = P V. The first keeps K on the chip and the last V, so that each
kernel reads its inputs once. A block of rows is one tile of `tilewise.trace.step` that
has all the keys; the film takes S, P̃, ℓ̃ and O from it.
"""

from tilewise.live import formulas
from tilewise.live.frames import cells, clean, size
from tilewise.trace import blocks, start, step
from tilewise.trace.grid import limits

GENERAL = {
    "s": ["S_{i} = τ Q_{i} K^{⊤}"],
    "softmax": [
        "m_{i} = rowmax(S_{i})",
        "ℓ_{i} = rowsum(e^{S_{i} − m_{i}})",
        "P_{i} = e^{S_{i} − m_{i}} / ℓ_{i}",
    ],
    "pv": ["O_{i} = P_{i} V"],
}
CAPPED = ["S_{i} = c tanh(τ Q_{i} K^{⊤} / c)"]
WITH_SINK = [
    "m_{i} = max(rowmax(S_{i}), sink)",
    "ℓ_{i} = rowsum(e^{S_{i} − m_{i}}) + e^{sink − m_{i}}",
    GENERAL["softmax"][2],
]


def general(how):
    """The formulas with the rules of how, softcap and sink."""
    made = GENERAL
    if how["softcap"] is not None:
        made = made | {"s": CAPPED}
    return made if how["sink"] is None else made | {"softmax": WITH_SINK}


def states(matrices, block_rows, how):
    """Each block of rows against all the keys, as the state of a trace."""
    q, k, v, _ = matrices
    mask = {x: how[x] for x in ("causal", "window") if x in how}
    low, high = limits(len(q), len(k), **mask)
    rule = {"scale": how["scale"], "low": low, "high": high}
    rule = rule | {"softcap": how["softcap"], "sink": how["sink"]}
    exp = {x: how[x] for x in ("exp",) if x in how}
    made = []
    for i, (first, end) in enumerate(blocks(len(q), block_rows)):
        tile = {"i": i, "j": 0, "rows": [first, end], "cols": [0, len(k)]}
        tile = tile | {"q": q[first:end], "k": k, "v": v}
        state = step(start(q, v, how["sink"]), tile | rule, **exp)
        weights = zip(state["p_tilde"], state["beta"], state["l_new"])
        p = [[b * x / l if l else 0 for x in row] for row, b, l in weights]
        made.append(state | {"p": p, "o": state["o_new"]})
    return made


def steps(states, exact):
    """Every step of the three kernels, as frames.tile_steps yields them."""
    if exact:
        states = [clean(state, ("o", "o_new", "pv")) for state in states]
    for phase, stays, goes, comes in (
        ("s", "k", "q", "s"), ("softmax", "", "s", "p"), ("pv", "v", "p", "o"),
    ):  # fmt: skip
        gone = {"s": [], "softmax": ["k", "q", "s"], "pv": ["p"]}[phase]
        if stays:
            whole = cells(states[0][stays], exact)
            step = load("kv", stays, states[0][stays], whole, gone)
            yield states[0], step
            gone = []
        for state in states:
            x = cells(state[goes], exact)
            yield state, load("q", goes, state[goes], x, gone)
            made = cells(state[comes], exact)
            rows = range(len(state["q"]))
            lines = [LINES[phase](state, r, exact) for r in rows]
            yield state, {"phase": phase, "put": {comes: made}, "lines": lines}
            store = {"store": {comes: size(state[comes])}}
            yield (
                state,
                {"phase": "store", "hbm": {comes: [state["rows"][0], made]}} | store,
            )
            gone = [goes, comes]


def load(phase, name, x, put, gone):
    """A step that brings one matrix, or a block of its rows, to the chip."""
    move = {"load": {name: size(x)}, "put": {name: put}}
    return {"phase": phase, "drop": gone} | move


# The formulas of a phase with the numbers of row r


def softmax(state, r, exact):
    n = state["rows"][0] + r + 1
    row, m, total = [state[x][r] for x in ("s", "m_new", "l_new")]
    sink = [] if state["sink"] is None else [state["sink"]]
    largest = f"max({', '.join([formulas.text(x, exact) for x in row + sink])})"
    powers = [formulas.power(x, m, exact) for x in row + sink]
    sums = " + ".join([x for x in powers if x])
    lines = [formulas.equal(f"m_{{{n}}}", largest, m, exact, "/τ")]
    lines.append(formulas.equal(f"ℓ_{{{n}}}", sums, total, exact))
    below = formulas.put(total, exact, "−/")
    for c, (power, p) in enumerate(zip(powers, state["p"][r]), 1):
        inner = power and f"{power} / {below}"
        lines.append(formulas.equal(f"P_{{{n}{c}}}", inner, p, exact))
    return lines


def pv(state, r, exact):
    n, lines = state["rows"][0] + r + 1, []
    for x, column in enumerate(zip(*state["v"])):
        inner = formulas.products(state["p"][r], column, exact)
        value = state["o"][r][x]
        lines.append(formulas.equal(f"O_{{{n}{x + 1}}}", inner, value, exact))
    return lines


LINES = {"s": formulas.s, "softmax": softmax, "pv": pv}
