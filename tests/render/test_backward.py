"""The backward trace as text, LaTeX and table: its numbers are read back."""

import re
from fractions import Fraction as F

import pytest

from tilewise import render, worked_example
from tilewise.cli import backward, main
from tilewise.cli.trace import arithmetic, settle
from tilewise.render import layout, numbers, parts
from tilewise.render.latex import latex_lines
from tilewise.render.text import text_lines

KEYS = sum(parts.BACKWARD_COMPUTED, ())
HAN, LATIN = "[\u4e00-\u9fff]", "[A-Za-z0-9]"
BOTH = pytest.mark.parametrize("order", ["kv-outer", "q-outer"])


@pytest.fixture
def history(given):
    """history(…): the exact steps of the running example's backward pass."""

    def make(**options):
        one = given(backward=True, **options)
        return list(backward.states(one, settle(one), arithmetic(one)))

    return make


def grids(tex):
    """The matrices of numbers in LaTeX."""
    tex = tex.replace(r" \\[2pt] ", r" \\ ")
    tex = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", tex)
    bodies = re.findall(r"\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}", tex)
    rows = [[row.split(" & ") for row in body.split(r" \\ ")] for body in bodies]
    return [[[F(x) for x in row] for row in grid] for grid in rows]


@BOTH
def test_latex_of_a_step_and_of_the_result(order, history, check_tex):
    steps = history(order=order)
    for state in steps:
        tex = render.backward_latex(state)
        check_tex(tex)
        assert tex.isascii() and tex._repr_latex_() == f"$${tex}$$"
        assert grids(tex) == [numbers.column(state[key]) for key in KEYS]
        i, j = state["i"] + 1, state["j"] + 1
        assert rf"\mathrm{{d}}S_{{{i}{j}}} &= " in tex
        assert rf"\mathrm{{d}}Q_{{{i}}}/\tau &\gets " in tex
    tex = render.gradients_latex(steps[-1])
    check_tex(tex)
    assert grids(tex) == [steps[-1][key] for key in ("dq", "dk", "dv")]
    assert r"\mathrm{d}K/\tau &= " in tex and r"\mathrm{d}V &= " in tex


@BOTH
def test_latex_of_the_whole(order, history, given, check_tex):
    one = given(backward=True, order=order)
    after = one, settle(one), arithmetic(one)
    lines = list(latex_lines(one, backward.states(*after), backward.settle(*after)))
    check_tex("\n".join(lines))
    steps = history(order=order)
    expected = [getattr(worked_example, x) for x in ("Q", "K", "V", "DO")]
    expected += [numbers.column(state[key]) for state in steps for key in KEYS]
    expected += [steps[-1][key] for key in ("dq", "dk", "dv")]
    assert grids("\n".join(lines)) == expected


@BOTH
def test_text_counts_what_the_trace_moves(order, history, given, capsys):
    assert main(["trace", "--backward", "--order", order]) == 0
    out = capsys.readouterr().out
    loaded, stored = parts.traffic(history(order=order))
    assert {"kv-outer": (96, 32), "q-outer": (96, 40)}[order] == (loaded, stored)
    counts = re.findall(r"(\d+) elements, (\d+) so far", out)
    assert [int(x) for _, x in counts[-2:]] == [loaded, stored]
    assert "exactly" in out.splitlines()[-1]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_text_is_narrow_and_in_one_language(lang, given):
    one = given(5, 3, backward=True, causal=True)
    after = one, settle(one), arithmetic(one)
    shown = (one, backward.states(*after), backward.settle(*after))
    lines = list(text_lines(*shown, lang=lang))
    assert max(map(layout.width, lines)) <= 80
    han = [x for x in lines if re.search(HAN, x)]
    assert bool(han) is (lang == "zh")
    for line in han:
        assert not re.search(f"{HAN}{LATIN}|{LATIN}{HAN}", line), line


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_memory_holds_a_sum_only_when_its_last_tile_is_done(history):
    steps = history()
    tables = [cells(render.backward_memory_html(steps[:t])) for t in (1, 2, 3)]
    assert tables[0][0] == ["HBM after the step", "dQ/τ", "dK/τ", "dV"]
    assert tables[0][1] == ["row 1", "−10/9, 8/9 (new)", "0, 0", "0, 0"]
    assert tables[1][1] == ["row 1", "−10/9, 8/9", "8/3, 2 (new)", "5/9, 5/9 (new)"]
    assert tables[2][3] == ["row 3", "2/3, 10/3", "0, 0", "0, 0"]
    chip = "Q1, K1, V1, O1, dO1, ℓ1, m1, dQ1, dK1, dV1, S11, P11, dP11, δ1, dS11"
    plain = [re.sub("</?sub>", "", x) for x in tables[0][5]]
    assert plain == ["SRAM during the step", chip]
    assert tables[1][6:] == [
        ["Loaded", "20 elements, 48 so far"],
        ["Stored", "12 elements, 16 so far"],
    ]
    steps = history(order="q-outer")
    first, second = (cells(render.backward_memory_html(steps[:t])) for t in (1, 2))
    assert first[1] == ["row 1", "0, 0", "22/9, 10/9 (new)", "2/9, 4/9 (new)"]
    assert second[1][1] == "−26/9, −4/9 (new)" and second[1][2] == "22/9, 10/9"
    chinese = cells(render.backward_memory_html(steps[:1], lang="zh", exact=False))
    assert chinese[1][0] == "第 1 行" and "（已更新）" in chinese[1][2]
    assert chinese[0][1] == "dQ"
