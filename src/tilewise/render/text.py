"""A trace for the terminal, one line at a time."""

from tilewise.render import layout, numbers, parts
from tilewise.render.words import WORDS
from tilewise.trace import symbols

FORMULAS = (
    ("S_ij = τ Q_i K_jᵀ", "m̃_ij = rowmax(S_ij)"),
    ("P̃_ij = e^(S_ij − m̃_ij)", "ℓ̃_ij = rowsum(P̃_ij)"),
    ("m_i^new = max(m_i, m̃_ij)", "α = e^(m_i − m_i^new), β = e^(m̃_ij − m_i^new)"),
    ("ℓ_i^new = α ℓ_i + β ℓ̃_ij", "O_i ← (α ℓ_i O_i + β P̃_ij V_j) / ℓ_i^new"),
)
BACKWARD_FORMULAS = (
    ("S_ij = τ Q_i K_jᵀ", "P_ij = e^(S_ij − m_i) / ℓ_i"),
    ("dP_ij = dO_i V_jᵀ", "δ_i = rowsum(dO_i ∘ O_i)"),
    ("dS_ij = P_ij ∘ (dP_ij − δ_i)", "dV_j ← dV_j + P_ijᵀ dO_i"),
    ("dQ_i ← dQ_i + τ dS_ij K_j", "dK_j ← dK_j + τ dS_ijᵀ Q_i"),
)
UPDATED = ("o_new", "dq_new", "dk_new", "dv_new")


def text_lines(problem, states, end, *, lang="en", colour=False):
    """Yield the lines of a trace: input, every step, result, check.

    `problem` says what is computed (tilewise.cli.problem), `end` how it ended
    (settle of tilewise.cli.trace or .backward); states come one by one, unkept.
    """
    exact, words, back = problem["exact"], WORDS[lang], problem["backward"]

    def show(entries):
        return layout.flow(entries, words["columns"], colour)

    yield from header(problem, words)
    yield ""
    inputs = {x: numbers.cells(problem[x], exact) for x in input_names(problem)}
    yield from show((tensor_name(x), "=", cells, x[-1]) for x, cells in inputs.items())
    so_far = {"load": 0, "store": 0}
    for t, state in enumerate(states, 1):
        yield title(state, t, end["steps"], words)
        yield from moves(state, so_far, words)
        yield ""
        for keys in sum(parts.groups(back), ()):
            yield from show(entry(key, state, exact) for key in keys)
    yield words["result"]
    yield ""
    yield from show((gradients if back else result)(end, exact))
    yield verdict(end, exact, words)


def input_names(problem):
    """The matrices that a trace starts from."""
    return ("q", "k", "v", "do") if problem["backward"] else ("q", "k", "v")


def tensor_name(x):
    """q → Q, do → dO."""
    return x[:-1] + x[-1].upper()


def header(problem, words):
    """Yield what is computed, in which order and units, and the formulas of a step."""
    q, k, v = (problem[x] for x in "qkv")
    same = len(q) == len(k) and len(q[0]) == len(v[0])
    sizes = {"n": len(q), "n_k": len(k), "d": len(q[0]), "d_v": len(v[0])}
    sizes |= {"t_r": -(-len(q) // problem["block_rows"])}
    sizes |= {"t_c": -(-len(k) // problem["block_cols"])}
    back = problem["backward"]
    yield words["backward title" if back else "title"]
    yield words["sizes" if same else "sizes_kv"].format(**sizes)
    yield words["blocks"].format(**sizes, **problem)
    yield words["backward " * back + problem["order"]]
    yield from rules(problem, words, back)
    if problem["exact"]:
        yield words["example"]
        yield words["backward units" if back else "units"]
    else:
        yield words[problem["scale_name"]].format(d=len(q[0]), scale=problem["scale"])
    if problem["formula"]:
        yield words["backward formula" if back else "formula"]
        constants = words["backward constants" if back else "constants"]
        yield constants.format(**problem["formula"])
    yield ""
    yield words["tile"]
    for left, right in BACKWARD_FORMULAS if back else FORMULAS:
        yield f"  {layout.pad(left, 28 if back else 26)}   {right}"


def rules(problem, words, back):
    """Yield what is said of a causal mask, a window, softcap and a sink."""
    if problem["causal"]:
        yield words["causal"]
    if problem["window"] is not None:
        sides = (words["any"] if x is None else x for x in problem["window"])
        yield words["window"].format(*sides)
    if problem["softcap"] is not None:
        key = "backward softcap" if back else "softcap"
        yield words[key].format(c=format(problem["softcap"], "g"))
    if problem["sink"] is not None:
        key = "backward sink" if back else "sink"
        yield words[key].format(x=format(problem["sink"], "g"))


def title(state, t, total, words):
    """Step 2 of 4: i = 2, j = 1 (queries 3-4, keys 1-2)."""
    spans = {}
    for name in ("rows", "cols"):
        start, stop = state[name]
        span = str(stop) if stop == start + 1 else f"{start + 1}-{stop}"
        spans[name] = words[name][stop > start + 1].format(span)
    i, j = state["i"] + 1, state["j"] + 1
    return words["step"].format(t=t, total=total, i=i, j=j, **spans)


def moves(state, so_far, words, form=symbols.plain):
    """Yield what a step loads and stores, and add it to the counts so far."""
    for direction in ("load", "store"):
        moved, count = parts.moved(form, state, direction)
        so_far[direction] += count
        joined = words["comma"].join(moved) or words["nothing"]
        yield words[direction].format(names=joined, count=count, all=so_far[direction])


def entry(key, state, exact):
    """A part of a step for layout: its name, =, its cells, its tensor."""
    sign = "←" if key in UPDATED else "="
    name = parts.label(symbols.plain, key, state, exact)
    return name, sign, numbers.cells(state[key], exact), symbols.colour(key)


def result(end, exact):
    """O, ℓ, m and L of the whole, for layout; an exact L is a logarithm."""
    names = {"o": "O", "l": "ℓ", "m": "m" + ("/τ" if exact else "")}
    for key, name in names.items():
        yield name, "=", numbers.cells(end[key], exact), "o" if key == "o" else "m"
    if exact:
        logs = numbers.exact_exp(end)
        yield "L", "=", [[f"ln({x})" if x else "-∞"] for x in logs], "m"
    yield "L", "≈" if exact else "=", numbers.cells(end["lse"], exact=False), "m"


def gradients(end, exact):
    """dQ, dK, dV of the whole, for layout."""
    for key in parts.GRADIENTS:
        unit = "/τ" if exact and symbols.in_units(key) else ""
        yield tensor_name(key) + unit, "=", numbers.cells(end[key], exact), key[-1]
    if end["dsink"] is not None:
        yield "dsink", "=", numbers.cells([[end["dsink"]]], exact), "m"


def verdict(end, exact, words):
    """How the result compares with ordinary attention, computed apart."""
    back = "backward " * ("dq" in end)
    if exact and end["gap"] == 0:
        return words[back + "exact"]
    return words[back + "differs"].format(gap=float(end["gap"]))
