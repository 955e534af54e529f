"""The JSON is strict, and holds the trace in floats of the formula."""

import json
import math
import tracemalloc

import pytest

from tilewise import worked_example
from tilewise.cli.trace import settle, states
from tilewise.render.json import json_lines
from tilewise.trace import forward


def strict(lines):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads("\n".join(lines), parse_constant=refuse)


def same(made, expected):
    """Whether JSON holds these numbers: null for −∞, floats close, the rest equal."""
    if isinstance(expected, list):
        return len(made) == len(expected) and all(map(same, made, expected))
    if expected == -math.inf:
        return made is None
    if isinstance(expected, float):
        return isinstance(made, float) and math.isclose(made, expected, abs_tol=1e-12)
    return made == expected


@pytest.mark.parametrize("order", ["kv-outer", "q-outer"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("size", [(4, 2), (5, 3)])
def test_holds_the_trace(order, causal, size, given, shown):
    one = given(*size, order=order, causal=causal)
    made = strict(shown(json_lines, one))
    names = ["n", "d", "block_rows", "block_cols", "order", "causal", "scale"]
    assert [made[x] for x in names] == [*size, 2, 2, order, causal, one["scale"]]
    q, k, v = (made[x] for x in "qkv")
    assert [q, k, v] == [one[x] for x in "qkv"]
    how = {"order": order, "causal": causal, "scale": made["scale"]}
    expected = list(forward(q, k, v, 2, 2, **how))
    for step, state in zip(made["steps"], expected, strict=True):
        assert list(step) == list(state)
        for key in state:
            assert same(step[key], state[key]), key
    last = expected[-1]
    assert all(same(made[x], last[x]) for x in "olm")
    lse = [m + math.log(l) for m, l in zip(last["m"], last["l"], strict=True)]
    assert same(made["lse"], lse)


def test_example_is_exact_where_floats_are(given, shown):
    lines = shown(json_lines, given())
    made = strict(lines)
    assert made["o"] == worked_example.O and made["l"] == [2.25] * 4
    assert made["scale"] == math.log(2) == made["steps"][0]["s"][1][0]
    assert made["steps"][0]["m_old"] == [None, None]
    assert made["steps"][0]["p_tilde"] == [[1, 1], [1, 0.5]]


def test_zero_has_no_sign(tmp_path, given, shown):
    file = tmp_path / "x.json"
    file.write_text('{"q": [[-0.0]], "k": [[1]], "v": [[-0.0]]}')
    lines = "\n".join(shown(json_lines, given(path=str(file))))
    assert '"q": [[0.0]]' in lines and "-0.0" not in lines


def test_rows_without_a_key_are_zeros(tmp_path, given, shown):
    file = tmp_path / "x.json"
    file.write_text('{"q": [[1],[1],[1]], "k": [[1]], "v": [[3]]}')
    made = strict(shown(json_lines, given(path=str(file), causal=True)))
    assert made["o"] == [[0.0], [0.0], [3.0]] and made["l"] == [0.0, 0.0, 1.0]
    assert made["m"] == made["lse"] == [None, None, 1.0]


def test_streams(given):
    one = given(24, 8, block_rows=1, block_cols=1)
    end, size = settle(one), 0
    tracemalloc.start()
    for line in json_lines(one, states(one), end):
        size += len(line)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000 < size / 3
