"""`bench` from the command line: arguments, progress, exit statuses; without a GPU."""

import re
import sys
from types import SimpleNamespace

import pytest
import torch

from tilewise.cli import bench, main


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--n", "0"], "--n must be a whole number from 1 to 131072, not '0'"),
        (["--n", "1024,,2048"], "--n must be a whole number"),
        (["--d", "12"], "--d must be a multiple of 8 up to 256, not '12'"),
        (["--causal", "maybe"], "--causal must be one of both, no, yes, not 'maybe'"),
        (["--passes", "sideways"], "--passes must be one of both, forward, backward"),
        (["--parts", "speed,taste"], "--parts must be one of speed, memory"),
        (["--seconds", "0"], "--seconds must be a whole number"),
        (["--only", "flash3"], "not 'flash3'"),
        (["--only"], "--only needs a value"),
    ],
)
def test_bad_arguments(argv, words, refused):
    assert words in refused("bench", *argv)


def test_without_a_gpu(refused, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert refused("bench") == "bench needs a CUDA GPU, and there is none here."
    assert refused("bench", "--lang", "zh") == "bench 需要 CUDA GPU，这里没有。"


def test_the_command_says_what_was_asked_and_not_where():
    words = [
        "bench",
        "--n",
        "1024",
        "--causal",
        "yes",
        "--out",
        "/somewhere",
        "--flush",
    ]
    from tilewise.cli import parser

    args = parser("en").parse_args(words)
    asked = bench.command(args)
    assert asked == "python -m tilewise bench --n 1024 --causal yes --flush"
    usual = parser("en").parse_args(["bench", "--seconds", "4"])
    assert bench.command(usual) == "python -m tilewise bench"


class Stream(list):
    def __init__(self, terminal):
        super().__init__()
        self.write, self.flush = self.append, lambda: None
        self.isatty = lambda: terminal


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere():
    for terminal in (True, False):
        stream = Stream(terminal)
        show = bench.progress(0, stream, lambda: 65)
        show(20, 40, "forward, N 1024, d 64")
        show(40, 40, "host")
        text = "".join(stream)
        assert (
            "20/40 1:05 forward, N 1024, d 64" in text and "█" * 12 + "░" * 12 in text
        )
        assert text.count("\n") == (1 if terminal else 2)


BAD = {"pass": "forward", "kernel": "exp2"}


@pytest.mark.parametrize(
    ("bad", "part"),
    [
        ({}, "rows"),
        (BAD | {"refused": "wrong"}, "rows"),
        (BAD | {"failed": "CUDA error"}, "rows"),
        (BAD | {"failed": "CUDA error"}, "unaligned"),
    ],
)
def test_a_run_shows_means_and_its_status(bad, part, monkeypatch, capsys):
    rows = [
        {"pass": "forward", "kernel": "flash", "tflops": 100.0},
        {"pass": "forward", "kernel": "flash", "tflops": 400.0},
        {"pass": "backward", "kernel": "flash", "missing": "out of memory"},
    ]
    results = {"rows": rows, "unaligned": []}
    results[part] += [bad] if bad else []
    whole = SimpleNamespace(run=lambda *_: ("there.json", results))
    monkeypatch.setattr(bench, "need_gpu", lambda: None)
    monkeypatch.setitem(sys.modules, "tilewise.bench.run", whole)
    monkeypatch.setattr("tilewise.bench.run", whole, raising=False)
    assert main(["bench"]) == int(bool(bad))
    out = capsys.readouterr().out
    assert re.search(r"flash +200 +–\n", out) and out.endswith("there.json\n")
