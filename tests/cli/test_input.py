"""Files that cannot be used get one sentence that says why; good ones are computed."""

import json
import os

import pytest

from tilewise.cli import main

GOOD = {"q": [[1, 0], [0, 1]], "k": [[1, 2], [3, 4]], "v": [[1, 2], [3, 4]]}


def text(**changed):
    return json.dumps({**GOOD, **changed})


def without(key):
    return json.dumps({x: GOOD[x] for x in GOOD if x != key})


BAD = {
    "empty": ("", "not valid JSON (line 1, column 1)"),
    "cut": (text()[:-3], "not valid JSON"),
    "python": ("{'q': 1}", "not valid JSON"),
    "trailing": (text() + "x", "not valid JSON"),
    "comma": (text()[:-1] + ",}", "not valid JSON"),
    "list": ("[1, 2]", "must hold one object"),
    "number": ("3", "must hold one object"),
    "null": ("null", "must hold one object"),
    "no_q": (without("q"), 'lacks "q"'),
    "no_v": (without("v"), 'lacks "v"'),
    "unknown": (text(Q=1), "unknown key 'Q'"),
    "long_key": (text(**{"x" * 9999: 1}), "unknown key 'xxx"),
    "twice": (text()[:-1] + ', "q": [[1, 1]]}', "'q' twice"),
    "string": (text(q="abc"), "q is a string"),
    "object": (text(q={"a": 1}), "q is an object"),
    "true": (text(k=True), "k is true or false"),
    "none": (text(v=None), "v is null"),
    "number_q": (text(q=7), "q is a number"),
    "row_string": (text(q=["ab", "cd"]), "row 1 of q is a string"),
    "row_number": (text(q=[[1, 0], 2]), "row 2 of q is a number"),
    "cell_string": (text(q=[[1, "0"], [0, 1]]), "row 1, column 2 of q is a string"),
    "cell_true": (text(q=[[1, True], [0, 1]]), "row 1, column 2 of q is true or false"),
    "cell_null": (text(q=[[1, 0], [None, 1]]), "row 2, column 1 of q is null"),
    "cell_list": (text(q=[[[1], 0], [0, 1]]), "row 1, column 1 of q is a list"),
    "no_rows": (text(q=[]), "q has 0 rows"),
    "no_columns": (text(q=[[], []]), "row 1 of q has length 0"),
    "ragged": (text(k=[[1, 2], [3]]), "row 2 of k has length 1, but row 1 has 2"),
    "widths": (
        text(k=[[1], [3]]),
        "q and k must have equally many columns, not 2 and 1",
    ),
    "heights": (text(v=[[1, 2]]), "k and v must have equally many rows, not 2 and 1"),
    "do": (text(do=[[1, 2]]), "do must have the shape of the output, 2 × 2"),
    "do_type": (text(do="x"), "do is a string"),
    "many_rows": (text(q=[[1, 0]] * 65), "q has 65 rows"),
    "many_columns": (text(q=[[1] * 65]), "row 1 of q has length 65"),
    "nan": ('{"q": [[NaN]], "k": [[1]], "v": [[1]]}', "NaN, which is not a number"),
    "infinity": ('{"q": [[-Infinity]], "k": 1, "v": 1}', "-Infinity, which is not"),
    "float": ('{"q": [[1e999]], "k": 1, "v": 1}', "column 1 of q is past the range"),
    "digits": (f'{{"q": [[{"9" * 9999}]], "k": 1, "v": 1}}', "past the range"),
    "scale_word": (text(scale="big"), "scale is a string"),
    "scale_null": (text(scale=None), "scale is null"),
    "scale_true": (text(scale=True), "scale is true or false"),
    "scale_nan": (text(scale=float("nan")), "NaN"),
    "scale_large": (text()[:-1] + ', "scale": -1e999}', "scale is past the range"),
    "nested": ("[" * 100_000, "nested too deeply"),
    "nested_cell": (text(do=1)[:-2] + "[" * 9999 + "]" * 9999 + "}", "too deeply"),
    "large": (text() + " " * 1_000_000, "larger than 1000000 bytes"),
    "score": (text(q=[[1e308, 1e308], [0, 1]]), "range of a float at step 1"),
    "score_below": (text(q=[[-1e308, -1e308], [0, 1]]), "range of a float at step 1"),
    "cancel": (text(q=[[1e308, -1e308]], k=[[9, 9], [3, 4]]), "range of a float"),
    "values": (text(v=[[1.7e308, 0], [1.7e308, 0]]), "range of a float"),
    "scale_score": (text(scale=1e308), "range of a float at step 1"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("form", ["text", "json"])
def test_bad_content(name, form, tmp_path, refused):
    content, words = BAD[name]
    file = tmp_path / "x.json"
    file.write_text(content)
    assert words in refused("trace", "--input", str(file), "--format", form)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe{\x00}\x00", "not text in UTF-8"),
        (b"\x7fELF\x02\x01\x80", "not text in UTF-8"),
        (b"\x00\x01\x02", "not valid JSON"),
    ],
)
def test_bytes(content, words, tmp_path, refused):
    file = tmp_path / "x.json"
    file.write_bytes(content)
    assert words in refused("trace", "--input", str(file))


def test_paths(tmp_path, refused):
    assert "there is no file" in refused("trace", "--input", str(tmp_path / "none"))
    assert "is a directory" in refused("trace", "--input", str(tmp_path))
    assert "cannot be read" in refused("trace", "--input", "x" * 5000)
    assert "cannot be read" in refused("trace", "--input", "a\0b")
    assert "there is no file ''" in refused("trace", "--input", "")
    if os.path.exists("/dev/zero"):
        assert "larger than" in refused("trace", "--input", "/dev/zero")


def test_sizes_come_from_the_file(tmp_path, refused, capsys):
    file = tmp_path / "x.json"
    file.write_text(text())
    sentence = refused("trace", "--input", str(file), "--n", "5")
    assert sentence.startswith("--n 5 contradicts") and "rows is 2" in sentence
    sentence = refused("trace", "--input", str(file), "--d", "3", "--lang", "zh")
    assert sentence.startswith("--d 3 与") and sentence.endswith("其中 q 有 2 列。")
    assert main(["trace", "--input", str(file), "--n", "2", "--d", "2"]) == 0
    assert "τ = 1/√2" in capsys.readouterr().out


def test_good_files(tmp_path, capsys):
    file = tmp_path / "x.json"
    more = {"scale": 1, "do": [[1, 0], [0, 1]]}
    for mark in ("", "\ufeff"):  # some editors write a byte order mark
        file.write_text(mark + text(**more), "utf-8")
        assert main(["trace", "--input", str(file), "--format", "json"]) == 0
        made = json.loads(capsys.readouterr().out)
        assert made["scale"] == 1.0 and made["steps"][0]["s"] == [[1, 3], [2, 4]]
        assert [made[x] for x in "qkv"] == [GOOD[x] for x in "qkv"]
    shapes = {"q": [[1, 2, 3]], "k": [[1, 2, 3]] * 5, "v": [[4]] * 5}
    file.write_text(json.dumps(shapes))
    for form in ("text", "latex", "json"):
        assert main(["trace", "--causal", "--format", form, "--input", str(file)]) == 0
        out = capsys.readouterr().out
    assert json.loads(out)["o"] == [[pytest.approx(4)]]


def test_extremes_that_floats_hold(tmp_path, capsys):
    file = tmp_path / "x.json"
    file.write_text(text(v=[[1e307, -1e-320], [1e307, 5e-324]], scale=0))
    for form in ("text", "latex", "json"):
        assert main(["trace", "--format", form, "--input", str(file)]) == 0
        out = capsys.readouterr().out
    assert json.loads(out)["o"][0][0] == 1e307
