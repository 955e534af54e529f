"""The symbols of the paper, each in four notations that are derived from one."""

import pytest

from tilewise.trace import symbols
from tilewise.trace.symbols import SYMBOLS

TEX = {
    "q": "Q_{12}",
    "o_old": "O_{12}",
    "m_tilde": r"\tilde m_{12}",
    "p_tilde": r"\tilde P_{12}",
    "l_tilde": r"\tilde\ell_{12}",
    "l_new": r"\ell_{12}^{\mathrm{new}}",
    "alpha": r"\alpha_{12}",
    "delta": r"\delta_{12}",
    "dq_old": r"\mathrm{d}Q_{12}",
    "dp": r"\mathrm{d}P_{12}",
}


@pytest.mark.parametrize("key", TEX)
def test_latex(key):
    assert symbols.latex(key, "12") == TEX[key]


@pytest.mark.parametrize("key", SYMBOLS)
def test_the_symbol_comes_back(key):
    index = symbols.subscript(key)
    assert symbols.plain(key, index) == SYMBOLS[key][0]
    assert symbols.braced(key).replace("{", "").replace("}", "") == SYMBOLS[key][0]


def test_html():
    assert symbols.html("dq_new", "3") == "d<i>Q</i><sub>3</sub>"
    assert symbols.html("m_new", "1") == "<i>m</i><sub>1</sub><sup>new</sup>"
    assert symbols.html("beta", "") == "<i>β</i>"


def test_what_a_step_adds_or_finds_has_the_tensors_name():
    for key in ("dk_old", "dk_new", "dk_add"):
        assert symbols.plain(key, "2") == "dK_2" and symbols.in_units(key)
    assert symbols.plain("o_new", "2") == "O_2" and not symbols.in_units("o_new")
    assert symbols.plain("l_old", "2") == "ℓ_2" and not symbols.in_units("l_old")
    with pytest.raises(KeyError):
        symbols.plain("x_new", "1")
