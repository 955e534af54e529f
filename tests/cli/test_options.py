"""Arguments that cannot be used get one sentence that names them, and status 2."""

import pytest

import tilewise
from tilewise.cli import main
from tilewise.cli.errors import Bad
from tilewise.cli.options import Parser
from tilewise.cli.trace import colour
from tilewise.render import layout

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
    assert out == "" and "trace" in err and err.count("\n") < 20


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
