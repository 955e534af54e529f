"""Matrices and steps in LaTeX that amsmath and KaTeX (strict) both take."""

import re

from tilewise.render import numbers, parts, text
from tilewise.render.words import WORDS
from tilewise.trace import symbols

WIDE = 10  # amsmath's bmatrix has no more columns than this


class Latex(str):
    """TeX of a displayed equation, which a notebook shows as one."""

    def _repr_latex_(self):
        return f"$${self}$$"


def number(x):
    """The TeX of a number written by render.numbers: -9/4, -∞, 1.0000e+300."""
    x = re.sub(r"(\d+)/(\d+)", r"\\tfrac{\1}{\2}", x).replace("∞", r"\infty")
    return re.sub(r"e([+-]\d+)", lambda m: rf"\times 10^{{{int(m[1])}}}", x)


def matrix(rows, exact=True):
    """An (R × C) matrix, or a vector as a column: fractions, or decimals aligned."""
    cells = [[number(x) for x in row] for row in numbers.cells(rows, exact)]
    return brackets(cells, centred=exact)


def brackets(cells, centred=True):
    """TeX in brackets: bmatrix, or an array where that is too narrow or not aligned."""
    tall = any(r"\tfrac" in x for row in cells for x in row)
    line = r" \\[2pt] " if tall else r" \\ "
    body = line.join(" & ".join(row) for row in cells)
    if centred and len(cells[0]) <= WIDE:
        return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
    form = "r" * len(cells[0])
    return rf"\left[\begin{{array}}{{{form}}} {body} \end{{array}}\right]"


def aligned(entries, beside=1):
    """Equations (name, sign, value) below each other, `beside` of them on a line."""
    cells = [f"{name} &{sign} {value}" for name, sign, value in entries]
    lines = [" & ".join(cells[t : t + beside]) for t in range(0, len(cells), beside)]
    body = " \\\\[2pt]\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def matrices_latex(named, *, exact=True, beside=1):
    """{"Q": Q, r"\\ell": l} → Q = […], ℓ = […], as one displayed equation."""
    entries = [(name, "=", matrix(rows, exact)) for name, rows in named.items()]
    return Latex(aligned(entries, beside))


def step_latex(state, *, exact=True, beside=2):
    """S, m̃, P̃, ℓ̃, m before and after, α, β, ℓ and O of one step, as one equation.

    exact: the trace was computed in Fractions with scale 1, so S and m are in units
    of τ and are named so; otherwise all numbers are decimals. Two matrices on a line
    (beside=2) fit the width of a phone.
    """
    keys = [key for group in parts.COMPUTED for key in group]
    keys.insert(keys.index("m_new"), "m_old")
    return Latex(aligned([entry(key, state, exact) for key in keys], beside))


def backward_latex(state, *, exact=True, beside=2):
    """S, P, dP, δ, dS of one backward step, and dV, dQ, dK after it, as one equation.

    exact: the trace was computed in Fractions with scale 1, so S, dQ and dK are in
    units of τ and are named so.
    """
    keys = sum(parts.BACKWARD_COMPUTED, ())
    return Latex(aligned([entry(key, state, exact) for key in keys], beside))


def gradients_latex(state, *, exact=True, beside=2):
    """dQ, dK and dV after the last step of the backward pass."""
    entries = []
    for key in parts.GRADIENTS:
        unit = r"/\tau" if exact and symbols.in_units(key) else ""
        entries.append((d(key) + unit, "=", matrix(state[key], exact)))
    if state.get("dsink") is not None:
        value = number(numbers.cells([[state["dsink"]]], exact)[0][0])
        entries.append((r"\mathrm{dsink}", "=", value))
    return Latex(aligned(entries, beside))


def d(key):
    """q → Q, dq → \\mathrm{d}Q."""
    return key[:-1].replace("d", r"\mathrm{d}") + key[-1].upper()


def entry(key, state, exact):
    """A part of a step for `aligned`: its name, = or ←, its TeX."""
    sign = r"\gets" if key in text.UPDATED else "="
    name = parts.label(symbols.latex, key, state, exact, r"/\tau")
    return name, sign, matrix(state[key], exact)


def result_latex(state, *, exact=True, beside=2):
    """O, ℓ, m and L after the last step; an exact L is a logarithm."""
    if exact:
        powers = [x and number(str(x)) for x in numbers.exact_exp(state)]
        lse = brackets([[rf"\ln {x}" if x else r"-\infty"] for x in powers])
    else:
        lse = matrix(numbers.log_sum_exp(state, exact), exact)
    named = (("O", "o"), (r"\ell", "l"), (r"m/\tau" if exact else "m", "m"))
    entries = [(name, "=", matrix(state[key], exact)) for name, key in named]
    return Latex(aligned([*entries, ("L", "=", lse)], beside))


def inline(key, index):
    """A symbol within a line of text."""
    return f"${symbols.latex(key, index)}$"


def display(*lines):
    """A displayed equation of a document: lines below each other."""
    body = " \\\\[4pt]\n".join(lines)
    for name in ("gathered", "equation*"):
        body = f"\\begin{{{name}}}\n{body}\n\\end{{{name}}}"
    return body


def latex_lines(problem, states, end, *, lang="en"):
    """Yield a LaTeX fragment: input, every step, result, a displayed equation each.

    `problem`, `states` and `end` are those of render.text.
    """
    exact, words, back = problem["exact"], WORDS[lang], problem["backward"]
    for line in (words["packages"], *text.header(problem, words)):
        yield f"% {line}".rstrip()
    inputs = {d(x): problem[x] for x in text.input_names(problem)}
    one, whole = step_latex, result_latex
    if back:
        one, whole = backward_latex, gradients_latex
    yield display(matrices_latex(inputs, exact=exact))
    so_far = {"load": 0, "store": 0}
    for t, state in enumerate(states, 1):
        title = text.title(state, t, end["steps"], words)
        about = [title, *text.moves(state, so_far, words, inline)]
        about = [rf"\text{{{x}}}" for x in about]
        yield ""
        yield display(*about, one(state, exact=exact))
    yield ""
    yield display(rf"\text{{{words['result']}}}", whole(end, exact=exact))
    yield f"% {text.verdict(end, exact, words)}"
