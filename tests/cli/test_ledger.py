"""`ledger`: its numbers are tilewise.ledger's, in both forms and languages."""

import json
import random
import re

import pytest

from tilewise import ledger
from tilewise.cli import main
from tilewise.ledger.costs import ALGORITHMS
from tilewise.render import layout

COUNTS = ("reads", "writes", "flops", "sram")


def show(capsys, *options):
    status = main(["ledger", *map(str, options)])
    out, err = capsys.readouterr()
    assert status == 0 and err == "" and out.endswith("\n")
    return out


def made(capsys, *options):
    return json.loads(show(capsys, "--format", "json", *options))


def total(count):
    return count["reads"] + count["writes"]


def counted(name, way, n, d, blocks, **how):
    blocks = () if name == "standard" else blocks
    return getattr(ledger, f"{name}_{way}")(n, d, *blocks, **how)


def test_json_is_the_ledger(capsys):
    rng = random.Random(4)
    for way in ("forward", "backward"):
        for causal in (False, True):
            n, n_k, d = (rng.randint(1, 999) for _ in range(3))
            blocks = rng.randint(1, 99), rng.randint(1, 99)
            options = ["--n", n, "--n-k", n_k, "--d", d, "--sram", 10**5]
            options += ["--block-rows", blocks[0], "--block-cols", blocks[1]]
            options += ["--causal"] * causal + ["--backward"] * (way == "backward")
            found = made(capsys, *options)
            assert (found["t_r"], found["t_c"]) == (
                -(-n // blocks[0]),
                -(-n_k // blocks[1]),
            )
            for name in ALGORITHMS:
                count = counted(name, way, n, d, blocks, n_k=n_k, causal=causal)
                shown = found["algorithms"][name]
                assert {x: shown[x] for x in COUNTS} == count
                assert shown["bytes"] == 2 * total(count)
                assert shown["intensity"] == count["flops"] / shown["bytes"]
                assert shown["fits"] is (count["sram"] <= 10**5)
                assert shown["saved"] == ledger.saved(n, d, n_k=n_k)[name]


def test_no_break_even_where_there_is_none(capsys):
    assert made(capsys, "--causal")["break_even"] is None
    assert "B_c = 49" not in show(capsys, "--causal")
    assert made(capsys, "--n", 3, "--n-k", 2)["break_even"] is None
    assert "whatever the tiles" in show(capsys, "--n", 3, "--n-k", 2)


def test_the_size_of_sram(capsys):
    found = made(capsys)
    assert (found["gpu"], found["sram"]) == ("H100", 227 * 1024 // 2)
    assert (found["block_rows"], found["block_cols"]) == (64, 454)
    found = made(capsys, "--gpu", "a100", "--dtype", "fp32")
    assert (found["gpu"], found["sram"]) == ("A100", 163 * 1024 // 4)
    found = made(capsys, "--sram", 25_600, "--d", 128, "--block-rows", 7)
    assert (found["gpu"], found["sram"]) == (None, 25_600)
    assert (found["block_rows"], found["block_cols"]) == (7, 50)


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--backward",
        "--causal --n-k 3000",
        "--n 4096 --heads 8 --sram 9999",
        "--training --heads 8 --kv-heads 2 --tiles kernels",
        "--memory 1 --dtype fp64",
    ],
)
def test_text_shows_the_numbers_in_both_languages(options, capsys):
    options = options.split()
    found = made(capsys, *options)
    texts = [show(capsys, *options, "--lang", lang) for lang in ("en", "zh")]
    for text in texts:
        for name in ALGORITHMS:
            shown = found["algorithms"][name]
            for key in (*COUNTS, "saved"):
                assert f"{shown[key]:,}" in text
        assert max(map(layout.width, text.splitlines())) <= 80
        assert not re.search(r" $|\t", text, re.M)
    english, chinese = (sorted(re.findall(r"\d[\d,.]*\d|\d", text)) for text in texts)
    assert english == chinese and "{" not in texts[0] + texts[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--n", "0"], "--n must be a whole number from 1 to 536870912, not '0'"),
        (["--n-k", "2.5"], "--n-k must be a whole number from 1 to 536870912"),
        (["--d", "65537"], "--d must be a whole number from 1 to 65536"),
        (["--block-rows", "-1"], "--block-rows must be a whole number"),
        (["--block-cols", ""], "--block-cols must be a whole number"),
        (["--sram", "1e5"], "--sram must be a whole number from 1 to 999999999"),
        (["--heads", "0"], "--heads must be"),
        (["--batch", "x"], "--batch must be"),
        (["--sram", "9", "--gpu", "h100"], "--sram and --gpu exclude each other"),
        (["--backward", "--training"], "--backward and --training exclude each other"),
        (
            ["--heads", "8", "--kv-heads", "3"],
            "--kv-heads must divide the number of heads, 8; 3 does not",
        ),
        (
            ["--tiles", "kernels", "--d", "257"],
            "--d must be a whole number from 1 to 256",
        ),
        (["--tiles", "best"], "--tiles must be one of paper, kernels, not 'best'"),
        (["--bandwidth", "0"], "--bandwidth must be a number above 0, at most 1000000"),
        (["--tflops", "1e308"], "--tflops must be a number above 0"),
        (["--memory", "nan"], "--memory must be a number above 0"),
        (["--gpu", "H100"], "--gpu must be one of h100, a100, h200, not 'H100'"),
        (["--dtype", "int8"], "--dtype must be one of bf16, fp16, fp32, fp64"),
        (["--format", "latex"], "--format must be one of text, json, not 'latex'"),
        (["--causal=1"], "--causal takes no value"),
        (["--order", "kv-outer"], "'--order kv-outer'"),
    ],
)
def test_what_cannot_be_used(options, words, refused):
    assert words in refused("ledger", *options)


def test_sentences_follow_the_language(refused):
    wanted = "--sram 与 --gpu 不能同时使用，请只给一个。"
    options = ["--sram", "9", "--gpu", "h100", "--lang", "zh"]
    assert refused("ledger", *options) == wanted


def test_help_fits(capsys):
    for lang in ("en", "zh"):
        lines = show(capsys, "--help", "--lang", lang).splitlines()
        assert max(map(layout.width, lines)) <= 80
        assert any("--block-cols B_C" in line for line in lines)


def test_the_largest_sizes_are_counted(capsys):
    most = ["--n", 2**29, "--d", 2**16, "--heads", 2**20, "--batch", 2**20]
    found = made(capsys, *most)["algorithms"]["standard"]
    assert found["flops"] == 2**40 * 4 * 2**58 * 2**16
    for more in ([], ["--causal", "--block-rows", 1, "--training"]):
        show(capsys, *most, *more)
