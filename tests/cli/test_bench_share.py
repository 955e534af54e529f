"""`bench --share` and `--check` from the command line, without a GPU."""

import json

import pytest
import torch

from tests.bench._made import made, signed
from tilewise.bench import sharing
from tilewise.cli import bench, main


@pytest.fixture
def file(tmp_path):
    """file(data) writes a file and returns its path."""

    def file(data):
        path = tmp_path / "card.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
        return str(path)

    return file


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_file_is_shown(file, capsys, lang):
    assert main(["bench", "--check", file(made()), "--lang", lang]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == "" and "RTX 9999" in lines[0] and "2026-11-28" in lines[1]
    assert len([x for x in lines if "1.25" in x]) == 15 + 2  # cells, and means
    left = {"en": "left out, out of memory", "zh": "略去，显存不足"}[lang]
    assert sum(left in x for x in lines) == 1
    assert max(map(len, lines)) < 110
    first = next(x for x in lines if "1024" in x).split()
    assert first[1:] == ["1024", "64", {"en": "no", "zh": "否"}[lang], "100", *WANT]


WANT = ["1.25", "1.67", "–"]  # over flash, cudnn and efficient


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"date": "2026-11-29"}, "was changed after it was measured"),
        ({"host": "mine"}, "host is missing or does not belong there"),
        ({"form": 7}, "the value of form is not possible"),
    ],
)
def test_a_wrong_file_gets_one_sentence(file, refused, change, words):
    told = refused("bench", "--check", file(made() | change))
    assert words in told and "card.json" in told
    chinese = refused("bench", "--lang", "zh", "--check", file(made() | change))
    assert "card.json" in chinese and chinese.endswith("。")


def test_what_does_not_follow_gets_a_sentence(file, refused):
    data = made()
    data["cells"][3]["rows"][1]["tflops"] *= 2
    told = refused("bench", "--check", file(signed(data)))
    assert "cells[3].cudnn.tflops does not follow from its other numbers" in told


def test_what_cannot_be_read(file, refused, tmp_path):
    assert "cannot be read" in refused("bench", "--check", str(tmp_path / "none.json"))
    assert "it is no JSON" in refused("bench", "--check", file("half a {"))
    (tmp_path / "card.json").write_bytes(b"\xff\xfe\x00")
    assert "as text" in refused("bench", "--check", str(tmp_path / "card.json"))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--share", "--n", "1024"], "what --share measures is fixed"),
        (["--share", "--flush"], "what --share measures is fixed"),
        (["--check", "x", "--share"], "--check only reads a file"),
        (["--check", "x", "--out", "y"], "--check only reads a file"),
        (["--check", "x", "--seconds", "9"], "--check only reads a file"),
    ],
)
def test_options_that_do_not_go_together(argv, words, refused):
    assert words in refused("bench", *argv)


def test_without_a_gpu_or_with_an_old_one(refused, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "needs a CUDA GPU" in refused("bench", "--share")
    monkeypatch.setattr(bench, "need_gpu", lambda: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (7, 5))
    assert "this one has 7.5" in refused("bench", "--share")


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("", "the project's issue tracker"),
        ("https://example.org/book/", "https://example.org/book/issues"),
    ],
)
def test_a_run_says_where_to_send_its_file(address, place, monkeypatch, capsys):
    asked = []

    def measure(out, say, progress):
        asked.append(out)
        return "here.json", made()

    monkeypatch.setattr(bench, "need_gpu", lambda: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (8, 9))
    monkeypatch.setattr(sharing, "measure", measure)
    monkeypatch.setenv("REPO_URL", address)
    assert main(["bench", "--share", "--out", "here"]) == 1  # efficient has failed
    out = capsys.readouterr().out
    assert out.rstrip().endswith(f"attach it to a new issue: {place}")
    assert "here.json has been written" in out and asked == ["here"]
