"""The numbers of a text are read back and compared with the trace."""

import re

import pytest

from tilewise import worked_example
from tilewise.render import layout, numbers, parts
from tilewise.render.text import text_lines, verdict
from tilewise.render.words import WORDS
from tilewise.trace import forward

LANGS = pytest.mark.parametrize("lang", ["en", "zh"])
BLOCK = re.compile(r"(?:(\S+) [=←≈] )?[⎡⎢⎣[] (.*?) [⎤⎥⎦\]]")


def columns(line):
    """The line with one character a terminal column: no tildes, wide ones doubled."""
    return "".join(x * layout.width(x) for x in line)


def read(lines):
    """Every matrix of a text as (name, rows of words), in reading order."""
    found, group = [], []
    for line in [*map(columns, lines), ""]:
        if line:
            group.append(line)
            continue
        blocks = {}  # by the column of the left bracket, where rows must align
        for row in group:
            for m in BLOCK.finditer(row):
                blocks.setdefault(m.start(2), []).append((m[1], m[2].split()))
        for _, rows in sorted(blocks.items()):
            names = [name for name, _ in rows if name]
            assert len(names) == 1 and len({len(row) for _, row in rows}) == 1
            found.append((names[0], [row for _, row in rows]))
        group = []
    return found


@LANGS
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("order", ["kv-outer", "q-outer"])
def test_every_number_of_the_example(
    order, causal, lang, given, shown, example, number
):
    lines = shown(text_lines, given(order=order, causal=causal), lang=lang)
    steps = example(order=order, causal=causal)
    keys = [key for group in parts.ON_CHIP + parts.COMPUTED for key in group]
    expected = [getattr(worked_example, x) for x in "QKV"]
    expected += [numbers.column(state[key]) for state in steps for key in keys]
    expected += [numbers.column(steps[-1][key]) for key in "olm"]
    found = [rows for _, rows in read(lines)[:-2]]  # the last two are L
    assert [[[number(x) for x in row] for row in rows] for rows in found] == expected
    assert ("exactly" if lang == "en" else "精确相等") in lines[-1]


def test_names_and_result_of_the_example(given, shown):
    found = read(shown(text_lines, given()))
    last = dict(found)
    assert last["O"] == [[str(x) for x in row] for row in worked_example.O]
    assert last["ℓ"] == [["9/4"]] * 4
    names = [name for name, _ in found[3:16]]
    assert names[:6] == ["Q_1", "K_1", "V_1", "O_1", "ℓ_1", "m_1/τ"]
    assert names[6:10] == ["S_11/τ", "m_11/τ", "P_11", "ℓ_11"]
    logs = [rows for name, rows in found if name == "L"]
    assert logs[0] == [["ln(9/4)"], ["ln(9/2)"], ["ln(9)"], ["ln(9)"]]
    assert logs[1] == [["0.8109"], ["1.5041"], ["2.1972"], ["2.1972"]]


def test_elements_moved(given, shown, example):
    text = "\n".join(shown(text_lines, given()))
    moved = re.findall(r"(\w+) .* HBM: .*; (\d+) elements, (\d+) so far", text)
    moved = [(name, int(now), int(all_)) for name, now, all_ in moved]
    loads = [("load", 20, 20), ("load", 12, 32), ("load", 20, 52), ("load", 12, 64)]
    stores = [("store", 8, 8 * t) for t in (1, 2, 3, 4)]
    assert moved[::2] == loads and moved[1::2] == stores
    assert parts.traffic(example()) == (64, 32)
    assert parts.traffic(example(order="q-outer")) == (40, 16)


@LANGS
@pytest.mark.parametrize("size", [(7, 3), (3, 40), (64, 64)])
def test_80_columns(size, lang, given, shown):
    one = given(*size, block_rows=3, block_cols=20, causal=True)
    lines = shown(text_lines, one, lang=lang)
    assert max(map(layout.width, lines)) <= 80
    assert len(read(lines)) > 20  # which checks that rows align


def test_wide_matrices_lose_no_column(given, shown):
    one = given(3, 40)
    lines = shown(text_lines, one)
    spans = re.findall(r"Q \(columns (\d+)-(\d+)\)", "\n".join(lines))
    assert len(spans) > 1 and (spans[0][0], spans[-1][1]) == ("1", "40")
    groups = [rows for _, rows in read(lines)[: len(spans)]]
    joined = [sum(pieces, []) for pieces in zip(*groups, strict=True)]
    assert [[float(x) for x in row] for row in joined] == one["q"]


def test_columns_are_aligned_on_the_right():
    cells = [["-1", "1/2"], ["10", "0"], ["2", "3"]]
    lines = ["    ⎡ -1 1/2 ⎤", "Q = ⎢ 10   0 ⎥", "    ⎣  2   3 ⎦"]
    assert layout.block("Q", "=", cells) == (14, lines)
    assert layout.block("V", "←", [["1"]]) == (9, ["V ← [ 1 ]"])


def test_widths():
    assert layout.width("第 1 列") == 7 and layout.width("m̃_ij") == 4
    size, lines = layout.block("Q（第 1-2 列）", "=", [["1", "2"], ["3", "4"]])
    assert {layout.width(line) for line in lines} == {size}


def test_decimals_share_one_form():
    cells = numbers.cells
    assert cells([[1.0, -0.0], [2.0, -3.0]], False) == [["1", "0"], ["2", "-3"]]
    mixed = [[0.5, -1e-9], [-float("inf"), 10]]
    assert cells(mixed, False) == [["0.5000", "0.0000"], ["-∞", "10.0000"]]
    assert cells([1e300, 2.0], False) == [["1.0000e+300"], ["2.0000e+00"]]
    assert cells([3e-7], False) == [["3.0000e-07"]]


def test_decimals_agree_with_the_trace(given, shown):
    one = given(5, 3, causal=True, order="q-outer", block_cols=3)
    lines = shown(text_lines, one)
    how = {"order": "q-outer", "causal": True}
    last = list(forward(one["q"], one["k"], one["v"], 2, 3, **how))[-1]
    for row, expected in zip(dict(read(lines))["O"], last["o"], strict=True):
        assert [float(x) for x in row] == pytest.approx(expected, abs=5e-5)
    gap = float(re.search(r"attention: (\S+)$", lines[-1])[1])
    assert 0 <= gap < 1e-14


def test_a_wrong_result_is_not_called_equal():
    assert "exactly" in verdict({"gap": 0}, True, WORDS["en"])
    assert verdict({"gap": 0.5}, True, WORDS["en"]).endswith(": 0.5")


def test_colour_by_tensor_only_when_asked(given, shown):
    plain = shown(text_lines, given())
    coloured = shown(text_lines, given(), colour=True)
    assert "\033" not in "".join(plain)
    assert [re.sub(r"\033\[[\d;]*m", "", x).rstrip() for x in coloured] == plain
    assert len(set(re.findall(r"38;5;(\d+)m", "".join(coloured)))) == 6
