"""`serve` from the command line: options, what is missing, addresses."""

import socket
import sys

import pytest

from tilewise.cli import main, parser
from tilewise.cli.serve import MOST, NEEDED
from tilewise.serve.limits import LIMITS


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--port", "65536"], "--port must be a whole number from 0 to 65535, not"),
        (["--port", "-1"], "--port must be a whole number from 0 to 65535, not '-1'"),
        (["--port", "http"], "--port must be a whole number"),
        (["--port"], "--port needs a value"),
        (["--threads", "0"], "--threads must be a whole number from 1 to 256"),
        (["--queue", "1.5"], "--queue must be a whole number from 1 to 10000"),
        (["--deadline", "-1"], "--deadline must be a whole number from 1 to 3600"),
        (["--max-body", "9999999999"], "--max-body must be a whole number from 1 to"),
        (["--max-json", "x"], "--max-json must be a whole number from 1 to 64"),
        (["--host", "256.0.0.1"], "'256.0.0.1' cannot be listened on at port 8000 ("),
        (["--host", ""], "cannot be listened on"),
        (["--host", "a b"], "'a b' cannot be listened on"),
        (["--host", "x" * 70], "cannot be listened on"),
        (["--host", "."], "'.' cannot be listened on"),
        (["--workers", "2"], "unknown option or argument '--workers 2'"),
    ],
)
def test_bad_options(argv, words, refused):
    assert words in refused("serve", *argv)
    assert refused("serve", *argv, "--lang", "zh") != refused("serve", *argv)


def test_a_port_in_use(refused):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"cannot be listened on at port {port} (" in refused(
            "serve", "--port", port
        )
        assert f"无法监听 '127.0.0.1' 的 {port} 端口（" in refused(
            "serve", "--port", port, "--lang", "zh"
        )


@pytest.mark.parametrize("name", NEEDED)
def test_without_the_extra(name, refused, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    sentence = refused("serve")
    assert sentence.startswith(f"serve needs {name}, which is not installed here")
    assert 'pip install -e ".[serve]"' in sentence
    assert refused("serve", "--lang", "zh").startswith(f"serve 需要 {name}，")


def test_every_limit_is_an_option_with_its_default():
    assert MOST.keys() == LIMITS.keys()
    args = parser("en").parse_args(["serve"])
    assert {name: getattr(args, name) for name in LIMITS} == LIMITS
    assert (args.host, args.port) == ("127.0.0.1", 8000)
    assert all(1 <= LIMITS[name] <= most for name, most in MOST.items())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help(lang, capsys):
    assert main(["serve", "--help", "--lang", lang]) == 0
    out = capsys.readouterr().out
    for name, default in LIMITS.items():
        assert f"--{name.replace('_', '-')} N" in out and str(default) in out
