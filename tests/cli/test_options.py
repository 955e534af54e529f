"""Arguments that cannot be used get one sentence that names them, and status 2."""

import json
import re

import pytest

import tilewise
from tilewise.cli import main
from tilewise.cli.errors import Bad
from tilewise.cli.options import Parser
from tilewise.cli.trace import colour
from tilewise.ledger import flash2_forward
from tilewise.render import layout
from tilewise.render.words import WORDS

NO_SIZES = ["0", "-1", "65", "2.5", "1e1", "four", "", " 4", "４", "1_0", "9" * 5000]


@pytest.mark.parametrize("option", ["--n", "--d", "--block-rows", "--block-cols"])
@pytest.mark.parametrize("value", [*NO_SIZES, "4\n"])
def test_sizes(option, value, refused):
    sentence = refused("trace", option, value)
    assert sentence.startswith(f"{option} must be a whole number from 1 to 64, not '")
    assert repr(value)[:20] in sentence


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["trace", "--order", "row-major"], "--order must be one of kv-outer, q-outer"),
        (["trace", "--format", "xml"], "--format must be one of text, latex, json"),
        (["trace", "--lang", "fr"], "--lang must be one of en, zh, not 'fr'"),
        (["trace", "--n"], "--n needs a value"),
        (["trace", "--input"], "--input needs a value"),
        (["trace", "--causal=yes"], "--causal takes no value"),
        (["trace", "--wide"], "'--wide'"),
        (["trace", "--caus"], "'--caus'"),
        (["trace", "--n", "4", "more", "words"], "'more words'"),
        (["trace", "x\ny"], "'x\\ny'"),
        (["tracer"], "no command 'tracer'"),
        ([""], "no command ''"),
        (["--n", "4"], "'--n'"),
    ],
)
def test_other_arguments(argv, words, refused):
    assert words in refused(*argv)


def test_sentences_follow_the_language(refused):
    wanted = "--n 必须是 1 到 64 的整数，不能是 '0'。"
    assert refused("trace", "--n", "0", "--lang", "zh") == wanted
    assert refused("trace", "--lang=zh", "--n", "0") == wanted
    assert refused("--lang", "zh", "trace", "--n", "0") == wanted
    assert refused("trace", "--lang", "zh", "--causal=1") == "--causal 不接受值。"
    assert refused("trace", "--lang", "zh", "--lang", "fr", "--n", "0").isascii()


def test_whatever_else_argparse_says_is_one_sentence():
    with pytest.raises(Bad) as raised:
        Parser().error("something\nnew")
    assert raised.value.sentence("en") == "something new."
    assert raised.value.sentence("zh") == "命令行有误：something new。"


def test_without_a_command_the_help_is_short(capsys):
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "trace" in err and err.count("\n") <= 24


def test_help_and_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tilewise {tilewise.__version__}\n"
    for argv in (["--help"], ["trace", "--help"], ["trace", "-h", "--lang", "zh"]):
        assert main(argv) == 0
        out, err = capsys.readouterr()
        assert err == "" and "trace" in out
        lines = [x for x in out.splitlines() if not x.startswith("usage")]
        assert max(map(layout.width, lines)) <= 80


def test_colour_needs_a_terminal_and_consent(monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "")  # no-color.org: an empty one does not count
    assert colour(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not colour(Terminal())


VARIANTS = ["--window", "1,none", "--softcap", "1.5", "--sink=-1"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("way", [[], ["--backward"], ["--order", "q-outer"]])
@pytest.mark.parametrize("options", [VARIANTS, ["--window", "0,2", "--sink", "0"]])
def test_variants_equal_ordinary_attention_in_every_form(options, way, lang, capsys):
    argv = ["trace", *options, *way, "--lang", lang]
    said = {}
    for form in ("text", "latex", "json"):
        assert main([*argv, "--format", form]) == 0
        said[form] = capsys.readouterr().out
    exact = options != VARIANTS
    words = WORDS[lang][("backward " if "--backward" in way else "") + "exact"]
    for form in ("text", "latex"):
        assert (words in said[form]) == exact, said[form]
        if not exact:  # the difference that is printed is rounding
            assert re.search(r"\d(\.\d)?e-1[4-7]\b|: 0$", said[form].rstrip("。")[-90:])
    told = json.loads(said["json"])
    assert told["window"] == ([0, 2] if exact else [1, None])
    assert ("dsink" in told) == ("--backward" in way)


def test_exact_numbers_stay_exact_with_a_window_and_a_sink_of_0(capsys):
    assert main(["trace", "--sink", "0"]) == 0
    out = capsys.readouterr().out
    assert "m = x, ℓ = 1" in out and "ln(13/4)" in out  # 9/4 + 2⁰


@pytest.mark.parametrize("command", ["trace", "ledger"])
@pytest.mark.parametrize(
    "argv, message",
    [
        (["--window", "1"], "--window must be L,R, each none or a whole number"),
        (["--window", "1,-1"], "not '1,-1'"),
        (["--window", "1,2,3"], "not '1,2,3'"),
        (["--softcap", "0"], "--softcap must be a number above 0"),
        (["--sink", "x"], "--sink must be a number such as 0 or -1.5, not 'x'."),
        (["--sink=1e5"], "--sink must be a number such as 0 or -1.5, not '1e5'."),
    ],
)
def test_variants_that_cannot_be_are_named(command, argv, message, capsys):
    assert main([command, *argv]) == 2
    assert message in capsys.readouterr().err


def test_the_ledger_counts_a_window(capsys):
    argv = ["ledger", "--block-rows", "16", "--block-cols", "16", "--format", "json"]
    assert main([*argv, "--window", "64,0", "--softcap", "5", "--sink", "0"]) == 0
    told = json.loads(capsys.readouterr().out)
    bill = flash2_forward(1024, 64, 16, 16, window=(64, 0))
    assert told["algorithms"]["flash2"]["reads"] == bill["reads"]
    assert told["window"] == [64, 0] and told["softcap"] == 5 and told["sink"] == 0
