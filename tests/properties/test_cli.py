"""Whatever the command line is given: a result, or one sentence and status 2."""

import contextlib
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tilewise.cli import main

from ._draw import problems

WORD = st.one_of(
    st.integers(-2, 70).map(str),
    st.text(max_size=8),
    st.sampled_from(["4", "2", "kv-outer", "q-outer", "json", "latex", "zh", "en", ""]),
    st.floats().map(str),
)
SMALL = st.integers(1, 6).map(str)
SHARED = "--n --d --block-rows --block-cols --causal --backward --format --lang".split()
TRACE = [*SHARED, "--order"]
LEDGER = [*SHARED, "--batch", "--heads", "--sram"]


def said(argv):
    """(status, stdout, stderr) of a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(argv)
        except SystemExit as end:  # --help and --version
            status = end.code or 0
    return status, out.getvalue(), err.getvalue()


def holds(argv):
    status, out, err = said(argv)
    assert status in (0, 2), argv
    if status == 2:
        assert out == "" and err.count("\n") == 1 and err.startswith("tilewise: "), argv
        assert "Traceback" not in err and len(err) < 400
    else:
        assert out and err == "", argv


def asked(options):
    """Arguments of some options, with values that fit and such that do not."""
    pair = st.tuples(st.sampled_from(options), st.one_of(SMALL, WORD))
    some = st.lists(st.one_of(pair, st.tuples(st.sampled_from(options))), max_size=5)
    return some.map(lambda xs: [x for pair in xs for x in pair])


@settings(max_examples=5 * settings().max_examples // 4)
@given(asked(TRACE), asked(LEDGER))
def test_any_options(trace, ledger):
    holds(["trace", *trace])
    holds(["ledger", *ledger])


NUMBER = st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=3)
NUMBER |= st.none() | st.booleans()
ANY = st.recursive(NUMBER, lambda x: st.lists(x, max_size=3), max_leaves=8)


@settings(max_examples=5 * settings().max_examples // 2)
@given(st.dictionaries(st.sampled_from(["q", "k", "v", "do", "scale", "x"]), ANY))
def test_any_json(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(value), "utf-8")
    holds(["trace", "--input", str(path)])


@given(problems(), st.booleans(), st.sampled_from(["text", "json", "latex"]))
def test_any_matrices_are_traced(tmp_path_factory, qkv, causal, form):
    path = tmp_path_factory.getbasetemp() / "matrices.json"
    path.write_text(json.dumps(dict(zip("qkv", qkv))), "utf-8")
    argv = ["trace", "--input", str(path), "--format", form, *["--causal"] * causal]
    status, out, err = said(argv)
    assert (status, err) == (0, "")
    if form == "json":
        json.loads(out)
