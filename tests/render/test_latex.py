"""The matrices of the LaTeX are read back; KaTeX itself runs in the site's tests."""

import math
import re
from fractions import Fraction

import pytest

from tilewise import render, worked_example
from tilewise.cli.trace import settle
from tilewise.render import numbers
from tilewise.render.latex import latex_lines

KEYS = (
    "s",
    "m_tilde",
    "p_tilde",
    "l_tilde",
    "m_old",
    "m_new",
    "alpha",
    "beta",
    "l_new",
    "o_new",
)


@pytest.fixture
def read(number):
    """read(tex): its matrices of numbers."""

    def matrices(tex):
        tex = tex.replace(r" \\[2pt] ", r" \\ ").replace(r"\infty", "∞")
        tex = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", tex)
        bodies = re.findall(r"\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}", tex)
        grids = [[row.split(" & ") for row in x.split(r" \\ ")] for x in bodies]
        return [
            [[number(x) for x in row] for row in grid]
            for grid in grids
            if r"\ln" not in grid[0][0]
        ]

    return matrices


@pytest.mark.parametrize("order", ["kv-outer", "q-outer"])
def test_step_holds_its_numbers(order, example, read, check_tex):
    for state in example(order=order):
        tex = render.step_latex(state)
        check_tex(tex)
        assert tex.isascii() and tex.count(r"\\[2pt]" + "\n") == 4  # five lines of two
        assert read(tex) == [numbers.column(state[key]) for key in KEYS]
        assert tex._repr_latex_() == f"$${tex}$$"
        i, j = state["i"] + 1, state["j"] + 1
        assert rf"S_{{{i}{j}}}/\tau &= " in tex and rf"O_{{{i}}} &\gets " in tex


def test_result_and_inputs(example, read, check_tex):
    tex = render.result_latex(example()[-1])
    check_tex(tex)
    column = [[Fraction(9, 4)]] * 4
    assert read(tex) == [worked_example.O, column, [[0], [1], [2], [2]]]
    assert r"\ln \tfrac{9}{4} \\[2pt] \ln \tfrac{9}{2} \\[2pt] \ln 9" in tex
    tex = render.matrices_latex({"Q": worked_example.Q, "K": worked_example.K})
    assert read(tex) == [worked_example.Q, worked_example.K]
    assert "Q &=" in tex and "K &=" in tex


def test_what_bmatrix_cannot(check_tex):
    assert "bmatrix" in render.matrix([[1] * 10])
    wide = render.matrix([[1] * 11])  # amsmath stops at 10 columns
    assert "bmatrix" not in wide and r"\begin{array}{rrrrrrrrrrr}" in wide
    decimals = render.matrix([[0.5, -1e300]], exact=False)
    assert r"-1.0000\times 10^{300}" in decimals
    assert r"3.0000\times 10^{-7}" in render.matrix([3e-7], exact=False)
    check_tex(wide + decimals)
    assert render.matrix([Fraction(-9, 4), -math.inf]) == (
        r"\begin{bmatrix} -\tfrac{9}{4} \\[2pt] -\infty \end{bmatrix}"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("size", [(4, 2), (5, 12)])
def test_fragment(size, causal, lang, given, shown, read, check_tex):
    one = given(*size, causal=causal)
    lines = shown(latex_lines, one, lang=lang)
    comments = [x for x in lines if x.startswith("%")]
    body = "\n".join(x for x in lines if not x.startswith("%"))
    check_tex(body)
    mathematics = re.sub(r"\\text\{[^\n]*\} \\\\", "", body)
    assert mathematics.isascii() and r"\text" not in mathematics
    assert body.count(r"\begin{equation*}") == 2 + settle(one)["steps"]
    assert "amsmath" in comments[0]
    if size == (4, 2):
        assert read(body)[:3] == [getattr(worked_example, x) for x in "QKV"]


def test_rows_without_a_key(check_tex):
    state = {"o": [[0]], "l": [0], "m": [-math.inf]}
    for exact in (True, False):
        tex = render.result_latex(state, exact=exact)
        check_tex(tex)
        assert tex.count(r"-\infty") == 2
