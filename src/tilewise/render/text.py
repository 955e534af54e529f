"""A trace for the terminal, one line at a time."""

from tilewise.render import layout, numbers, parts
from tilewise.render.words import WORDS

NAMES = {
    "q": "Q_%s", "k": "K_%s", "v": "V_%s", "o_old": "O_%s", "l_old": "ℓ_%s",
    "m_old": "m_%s", "s": "S_%s", "m_tilde": "m̃_%s", "p_tilde": "P̃_%s",
    "l_tilde": "ℓ̃_%s", "m_new": "m_%s^new", "l_new": "ℓ_%s^new", "alpha": "α",
    "beta": "β", "o_new": "O_%s", "/τ": "/τ",
}  # fmt: skip
FORMULAS = (
    ("S_ij = τ Q_i K_jᵀ", "m̃_ij = rowmax(S_ij)"),
    ("P̃_ij = e^(S_ij − m̃_ij)", "ℓ̃_ij = rowsum(P̃_ij)"),
    ("m_i^new = max(m_i, m̃_ij)", "α = e^(m_i − m_i^new), β = e^(m̃_ij − m_i^new)"),
    ("ℓ_i^new = α ℓ_i + β ℓ̃_ij", "O_i ← (α ℓ_i O_i + β P̃_ij V_j) / ℓ_i^new"),
)


def text_lines(problem, states, end, *, lang="en", colour=False):
    """Yield the lines of a trace: input, every step, result, check.

    `problem` says what is computed (tilewise.cli.problem), `end` how it ended
    (tilewise.cli.trace.settle); states come one by one and are not kept.
    """
    exact, words = problem["exact"], WORDS[lang]

    def show(entries):
        return layout.flow(entries, words["columns"], colour)

    yield from header(problem, words)
    yield ""
    inputs = {x: numbers.cells(problem[x], exact) for x in "qkv"}
    yield from show((x.upper(), "=", cells, x) for x, cells in inputs.items())
    so_far = {"load": 0, "store": 0}
    for t, state in enumerate(states, 1):
        yield title(state, t, end["steps"], words)
        yield from moves(state, so_far, words)
        yield ""
        for keys in parts.ON_CHIP + parts.COMPUTED:
            yield from show(entry(key, state, exact) for key in keys)
    yield words["result"]
    yield ""
    yield from show(result(end, exact))
    yield verdict(end, exact, words)


def header(problem, words):
    """Yield what is computed, in which order and units, and the formulas of a step."""
    q, k, v = (problem[x] for x in "qkv")
    same = len(q) == len(k) and len(q[0]) == len(v[0])
    sizes = {"n": len(q), "n_k": len(k), "d": len(q[0]), "d_v": len(v[0])}
    sizes |= {"t_r": -(-len(q) // problem["block_rows"])}
    sizes |= {"t_c": -(-len(k) // problem["block_cols"])}
    yield words["title"]
    yield words["sizes" if same else "sizes_kv"].format(**sizes)
    yield words["blocks"].format(**sizes, **problem)
    yield words[problem["order"]]
    if problem["causal"]:
        yield words["causal"]
    if problem["exact"]:
        yield words["example"]
        yield words["units"]
    else:
        yield words[problem["scale_name"]].format(d=len(q[0]), scale=problem["scale"])
    if problem["formula"]:
        yield words["formula"]
        yield words["constants"].format(**problem["formula"])
    yield ""
    yield words["tile"]
    for left, right in FORMULAS:
        yield f"  {layout.pad(left, 26)}   {right}"


def title(state, t, total, words):
    """Step 2 of 4: i = 2, j = 1 (queries 3-4, keys 1-2)."""
    spans = {}
    for name in ("rows", "cols"):
        start, stop = state[name]
        span = str(stop) if stop == start + 1 else f"{start + 1}-{stop}"
        spans[name] = words[name][stop > start + 1].format(span)
    i, j = state["i"] + 1, state["j"] + 1
    return words["step"].format(t=t, total=total, i=i, j=j, **spans)


def moves(state, so_far, words, names=NAMES):
    """Yield what a step loads and stores, and add it to the counts so far."""
    for direction in ("load", "store"):
        moved, count = parts.moved(names, state, direction)
        so_far[direction] += count
        joined = words["comma"].join(moved) or words["nothing"]
        yield words[direction].format(names=joined, count=count, all=so_far[direction])


def entry(key, state, exact):
    """A part of a step for layout: its name, =, its cells, its tensor."""
    sign = "←" if key == "o_new" else "="
    name = parts.label(NAMES, key, state, exact)
    return name, sign, numbers.cells(state[key], exact), parts.PARTS[key][0]


def result(end, exact):
    """O, ℓ, m and L of the whole, for layout; an exact L is a logarithm."""
    names = {"o": "O", "l": "ℓ", "m": "m" + (NAMES["/τ"] if exact else "")}
    for key, name in names.items():
        yield name, "=", numbers.cells(end[key], exact), "o" if key == "o" else "m"
    if exact:
        logs = numbers.exact_exp(end)
        yield "L", "=", [[f"ln({x})" if x else "-∞"] for x in logs], "m"
    yield "L", "≈" if exact else "=", numbers.cells(end["lse"], exact=False), "m"


def verdict(end, exact, words):
    """How O compares with ordinary attention, computed apart."""
    equal = exact and end["gap"] == 0
    return words["exact"] if equal else words["differs"].format(gap=float(end["gap"]))
