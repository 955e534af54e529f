"""The formulas of a tile, in general and with its own numbers put in, as text.

_{…} lowers and ^{…} raises. With `exact`, S, m, dQ and dK are in units of τ = ln 2, and
powers are powers of two, as in `tilewise.trace` with scale 1; numbers are fractions.
"""

import math

from tilewise.live.reading import fraction

GENERAL = {
    "s": ["S_{ij} = τ Q_{i} K_{j}^{⊤}"],
    "tile": [
        "m̃_{ij} = rowmax(S_{ij})",
        "P̃_{ij} = e^{S_{ij} − m̃_{ij}}",
        "ℓ̃_{ij} = rowsum(P̃_{ij})",
    ],
    "merge": [
        "m_{i}^{new} = max(m_{i}, m̃_{ij})",
        "α = e^{m_{i} − m_{i}^{new}},  β = e^{m̃_{ij} − m_{i}^{new}}",
        "ℓ_{i}^{new} = α ℓ_{i} + β ℓ̃_{ij}",
    ],
    "store": ["L_{i} = m_{i} + ln ℓ_{i}"],  # where queries are outside
    "o": ["O_{i} ← (α ℓ_{i} O_{i} + β P̃_{ij} V_{j}) / ℓ_{i}^{new}"],
    "p": ["P_{ij} = e^{S_{ij} − m_{i}} / ℓ_{i}"],
    "dv": ["dV_{j} ← dV_{j} + P_{ij}^{⊤} dO_{i}"],
    "dp": ["dP_{ij} = dO_{i} V_{j}^{⊤}"],
    "delta": ["δ_{i} = rowsum(dO_{i} ∘ O_{i})"],
    "ds": ["dS_{ij} = P_{ij} ∘ (dP_{ij} − δ_{i})"],
    "dq": ["dQ_{i} ← dQ_{i} + τ dS_{ij} K_{j}"],
    "dk": ["dK_{j} ← dK_{j} + τ dS_{ij}^{⊤} Q_{i}"],
}

CAPPED = {  # those that softcap c changes
    "s": ["S_{ij} = c tanh(τ Q_{i} K_{j}^{⊤} / c)"],
    "ds": ["dS_{ij} = P_{ij} ∘ (dP_{ij} − δ_{i}) ∘ (1 − (S_{ij} / c)^{2})"],
}


def text(x, exact):
    """A number as a reader writes it: a fraction, or 4 significant digits."""
    return fraction(x + 0.0, 1000 if exact else 0)  # + 0.0: no −0


def put(x, exact, marks="−"):
    """The same within a formula: in parentheses if it has a minus (or another mark)."""
    number = text(x, exact)
    return f"({number})" if any([c in number for c in marks]) else number


def products(a, b, exact):
    """a₁ · b₁ + a₂ · b₂ + …"""
    return " + ".join([f"{put(x, exact)} · {put(y, exact)}" for x, y in zip(a, b)])


def scaled(inner, exact):
    """τ times a sum; in units of τ the sum."""
    return inner if exact else f"τ ({inner})"


def power(x, m, exact):
    """e^{x − m}, in units of τ 2^{x − m}; nothing for a score that is not there."""
    base = "2" if exact else "e"
    return x != -math.inf and f"{base}^{{{text(x, exact)} − {put(m, exact)}}}"


def equal(name, inner, value, exact, unit=""):
    """name = inner = value; without the middle where it says nothing more."""
    value = text(value, exact)
    middle = f" = {inner}" if inner and inner != value else ""
    return f"{name}{unit if exact else ''}{middle} = {value}"


# Forward: the state of trace.step, r the row within the tile → lines


def s(state, r, exact):
    n, lines, cap = state["rows"][0] + r + 1, [], state["softcap"]
    for c, (x, key) in enumerate(zip(state["s"][r], state["k"])):
        inner = scaled(products(state["q"][r], key, exact), exact)
        if cap is not None:
            inner = f"{text(cap, exact)} tanh({inner} / {text(cap, exact)})"
        name = f"S_{{{n}{state['cols'][0] + c + 1}}}"
        lines.append(equal(name, x != -math.inf and inner, x, exact, "/τ"))
    return lines


def tile(state, r, exact):
    n, first = state["rows"][0] + r + 1, state["cols"][0] + 1
    row, m, weights = state["s"][r], state["m_tilde"][r], state["p_tilde"][r]
    largest = f"max({', '.join([text(x, exact) for x in row])})"
    lines = [equal(f"m̃_{{{n}}}", largest, m, exact, "/τ")]
    for c, (x, p) in enumerate(zip(row, weights), first):
        lines.append(equal(f"P̃_{{{n}{c}}}", power(x, m, exact), p, exact))
    total = " + ".join([text(x, exact) for x in weights])
    return lines + [equal(f"ℓ̃_{{{n}}}", total, state["l_tilde"][r], exact)]


def merge(state, r, exact):
    n = state["rows"][0] + r + 1
    names = ("m_old", "m_tilde", "m_new", "alpha", "beta", "l_old", "l_tilde", "l_new")
    m, m_tilde, m_new, alpha, beta, l, l_tilde, l_new = [state[x][r] for x in names]
    larger = f"max({text(m, exact)}, {text(m_tilde, exact)})"
    total = products((alpha, beta), (l, l_tilde), exact)
    return [
        equal(f"m_{{{n}}}^{{new}}", larger, m_new, exact, "/τ"),
        equal(f"α_{{{n}}}", power(m, m_new, exact), alpha, exact),
        equal(f"β_{{{n}}}", power(m_tilde, m_new, exact), beta, exact),
        equal(f"ℓ_{{{n}}}^{{new}}", total, l_new, exact),
    ]


def o(state, r, exact):
    n, lines = state["rows"][0] + r + 1, []
    names = ("alpha", "l_old", "beta", "l_new")
    alpha, l, beta, l_new = [put(state[x][r], exact) for x in names]
    below = put(state["l_new"][r], exact, "−/")
    for x, column in enumerate(zip(*state["v"])):
        old, pv = state["o_old"][r][x], state["pv"][r][x]
        inner = products(state["p_tilde"][r], column, exact)
        lines.append(equal(f"(P̃V)_{{{n}{x + 1}}}", inner, pv, exact))
        sums = f"{alpha} · {l} · {put(old, exact)} + {beta} · {put(pv, exact)}"
        inner = state["l_new"][r] and f"({sums}) / {below}"
        lines.append(equal(f"O_{{{n}{x + 1}}}", inner, state["o_new"][r][x], exact))
    return lines


def lse(state, r, exact):
    n, log = state["rows"][0] + r + 1, "log_{2}" if exact else "ln"
    m, l = put(state["m_new"][r], exact), put(state["l_new"][r], exact, "−/")
    inner = state["l_new"][r] and f"{m} + {log} {l}"
    return [equal(f"L_{{{n}}}", inner, state["lse_new"][r], exact, "/τ")]


# Backward: the state of trace.step_backward


def p(state, r, exact):
    n, first, lines = state["rows"][0] + r + 1, state["cols"][0] + 1, []
    m, l = state["m"][r], state["l"][r]
    for c, (x, weight) in enumerate(zip(state["s"][r], state["p"][r]), first):
        inner = power(x, m, exact) if l else ""
        inner = inner and f"{inner} / {put(l, exact, '−/')}"
        lines.append(equal(f"P_{{{n}{c}}}", inner, weight, exact))
    return lines


def dp(state, r, exact):
    n, first = state["rows"][0] + r + 1, state["cols"][0] + 1
    return [
        equal(f"dP_{{{n}{c}}}", products(state["do"][r], value, exact), x, exact)
        for c, (value, x) in enumerate(zip(state["v"], state["dp"][r]), first)
    ]


def delta(state, r, exact):
    inner = products(state["do"][r], state["o"][r], exact)
    name = f"δ_{{{state['rows'][0] + r + 1}}}"
    return [equal(name, inner, state["delta"][r], exact)]


def ds(state, r, exact):
    n, first, lines = state["rows"][0] + r + 1, state["cols"][0] + 1, []
    mean, cap = put(state["delta"][r], exact), state["softcap"]
    row = zip(state["p"][r], state["dp"][r], state["ds"][r], state["s"][r])
    for c, (weight, x, gradient, score) in enumerate(row, first):
        inner = f"{put(weight, exact)} · ({text(x, exact)} − {mean})"
        if cap is not None and weight:
            inner += f" · (1 − ({text(score, exact)} / {text(cap, exact)})^{{2}})"
        lines.append(equal(f"dS_{{{n}{c}}}", inner, gradient, exact))
    return lines


def sums(state, name, n, row, weights, matrix, exact):
    """A row of a gradient: what it was, and what the tile adds."""
    lines, unit = [], "" if name == "dv" else "/τ"
    title = "d" + name[1].upper()
    for x, column in enumerate(zip(*matrix)):
        inner = products(weights, column, exact)
        inner = scaled(inner, exact) if unit else inner
        inner = f"{text(state[name + '_old'][row][x], exact)} + {inner}"
        value = state[name + "_new"][row][x]
        lines.append(equal(f"{title}_{{{n}{x + 1}}}", inner, value, exact, unit))
    return lines


def dq(state, r, exact):
    n = state["rows"][0] + r + 1
    return sums(state, "dq", n, r, state["ds"][r], state["k"], exact)


def dk(state, c, exact):
    n, weights = state["cols"][0] + c + 1, [row[c] for row in state["ds"]]
    return sums(state, "dk", n, c, weights, state["q"], exact)


def dv(state, c, exact):
    n, weights = state["cols"][0] + c + 1, [row[c] for row in state["p"]]
    return sums(state, "dv", n, c, weights, state["do"], exact)
