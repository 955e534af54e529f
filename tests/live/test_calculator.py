"""The calculator's Python: by hand, against the command line, limits, hostile input."""

import json
import random
import re

import pytest

from tilewise.cli import main
from tilewise.live import answer
from tilewise.live.calculator import DEFAULT, view
from tilewise.live.calculator_form import FORM
from tilewise.live.calculator_words import WORDS

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
ALGORITHMS = ("standard", "flash1", "flash2")
HOSTILE = [*"abc 1e308 -1e308 NaN inf -5 0 1.5 1/0 ١٢ 0x10 1_0 null ../..".split()]
HOSTILE += ["", " ", "<script>alert(1)</script>", "1 " * 10_000, "9" * 10_000]
HOSTILE += ["\x00", "\U0001f0a1\n", "--n 4"]


def asked(ask="calculator", **typed):
    return json.loads(answer(json.dumps({"ask": ask, "input": typed})))


def result(**typed):
    return asked(**typed)["result"]


def problem(**typed):
    found = asked(**typed)["problem"]
    assert asked("calculator view", **typed)["problem"] == found
    return found["code"], found["field"]


def draw(rng):
    """What a reader might choose, each field somewhere within its limits."""
    heads = 2 ** rng.randint(0, 7)
    own = {"sram": rng.uniform(1, 1e4), "bandwidth": rng.uniform(0.01, 10)}
    own |= {"tflops": rng.uniform(1, 1e4), "memory": rng.uniform(1, 500)}
    return {key: f"{x:.6g}" for key, x in own.items()} | {
        "gpu": rng.choice(["A100", "H100", "H200", "own"]),
        "dtype": rng.choice(["bf16", "fp16", "fp32"]),
        "pass": rng.choice(["forward", "backward", "training"]),
        "causal": rng.choice(["no", "yes"]),
        "tiles": rng.choice(["paper", "kernels", "own"]),
        "batch": str(rng.randint(1, 64)),
        "heads": str(heads),
        "kv_heads": rng.choice(["", "1", str(heads)]),
        "n": str(int(2 ** rng.uniform(0, 29))),
        "d": str(rng.choice([8, 64, 80, 256])),
        "block_rows": str(rng.randint(1, 300)),
        "block_cols": str(rng.randint(1, 300)),
    }


def test_the_default_by_hand():
    """H100, 32 heads, N = 16 384, d = 128, bf16, forward, tiles of 128 × 176."""
    made, n, d, h = result(), 16_384, 128, 32
    standard, _, flash = (made["algorithms"][x] for x in ALGORITHMS)
    assert standard["bytes"] == 2 * h * (4 * n * n + 4 * n * d)
    assert flash["bytes"] == 2 * h * (2 * n * d + n + (n // 128) * 2 * n * d)
    assert flash["flops"] == standard["flops"] == 4 * n * n * d * h
    assert flash["once"]["bytes"] == 2 * h * (4 * n * d + n)
    assert flash["seconds"] == flash["bytes"] / 3.35e12
    assert flash["once"]["seconds"] == flash["flops"] / 989.5e12
    assert standard["held_bytes"] == 2 * h * (4 * n * d + 2 * n * n)
    assert flash["saved_bytes"] == 2 * h * (4 * n * d + n)
    room = 80 * 2**30 // 2
    assert standard["longest"] == int((room / 2 / h + d * d) ** 0.5 - d) == 25_777
    assert flash["longest"] == room // (h * (4 * d + 1)) == 2_616_329
    assert made["even"] == 3 * d * d and made["sram"] == 227 * 512
    assert made["times"] == 2_616_329 / 25_777


def test_the_command_line_says_the_same(capsys):
    """The command that is shown gives every number that is shown."""
    rng = random.Random(11)
    for _ in range(60):
        made = result(**draw(rng))
        words = made["command"].split()
        assert words[:4] == ["python", "-m", "tilewise", "ledger"]
        assert main([*words[3:], "--format", "json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told.pop("softcap") is told.pop("sink") is None
        first = made["tiles"][0]
        for side, count in (("rows", "t_r"), ("cols", "t_c")):
            assert told.pop(f"block_{side}") == first[side]
            assert told.pop(count) == first[count]
        assert told == {key: made[key] for key in told}


def test_micropython_says_the_same(agree):
    rng = random.Random(15)
    agree("calculator", [draw(rng) for _ in range(100)])
    agree("calculator", [{"n": text} for text in HOSTILE if text.isprintable()])


def test_the_plot_has_the_numbers_of_its_lengths():
    rng = random.Random(12)
    for _ in range(20):
        typed = draw(rng)
        made = result(**typed)
        sweep = made["sweep"]
        assert sweep["n"] == sorted(set(sweep["n"])) and made["n"] in sweep["n"]
        place = rng.randrange(len(sweep["n"]))
        there = result(**typed | {"n": str(sweep["n"][place])})["algorithms"]
        for name in ALGORITHMS:
            for key in ("bytes", "seconds", "held_bytes"):
                assert sweep[name][key][place] == there[name][key]
        for key in ("bytes", "seconds"):
            assert sweep["ideal"][key][place] == there["flash2"]["once"][key]


def test_missing_fields_are_the_default():
    assert result(n="１６３８４", heads=" 32 ", x="x") == result() == result(**DEFAULT)


@pytest.mark.parametrize(
    ("typed", "code", "field"),
    [
        ({"n": "0"}, "out-of-range", "n"),
        ({"n": "536870913"}, "out-of-range", "n"),
        ({"d": "65537"}, "out-of-range", "d"),
        ({"d": "257"}, "no-kernel", "d"),
        ({"batch": "1.5"}, "not-whole", "batch"),
        ({"heads": ""}, "empty", "heads"),
        ({"heads": "6", "kv_heads": "4"}, "not-a-divisor", "kv_heads"),
        ({"heads": "2", "kv_heads": "4"}, "not-a-divisor", "kv_heads"),
        ({"gpu": "V100"}, "not-a-choice", "gpu"),
        ({"dtype": "fp64"}, "not-a-choice", "dtype"),
        ({"pass": "twice"}, "not-a-choice", "pass"),
        ({"causal": "maybe"}, "not-a-choice", "causal"),
        ({"tiles": "best"}, "not-a-choice", "tiles"),
        ({"gpu": "own"}, "empty", "sram"),
        ({"gpu": "own", "sram": "0.5"}, "out-of-range", "sram"),
        ({"tiles": "own", "block_rows": "9"}, "empty", "block_cols"),
    ],
)
def test_problems_name_their_field(typed, code, field):
    assert problem(**typed) == (code, field)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_in_every_field(text):
    """A problem at that field, or, where the text is a number, a result."""
    own = {"gpu": "own", "sram": "100", "bandwidth": "1", "tflops": "1", "memory": "1"}
    own |= {"tiles": "own", "block_rows": "64", "block_cols": "64"}
    for field in DEFAULT:
        told = asked(**own | {field: text})
        if "problem" in told:
            assert told["problem"]["field"] == field
        else:
            numbers = ("sram", "bandwidth", "tflops", "memory")
            easy = text.strip() == "" and field == "kv_heads" or field == "plot"
            assert easy or (text == "1.5" and field in numbers), (field, text)
    assert asked("calculator view", plot=text)["problem"]["field"] == "plot"


def test_the_largest_sizes_take_no_time():
    most = {"n": str(2**29), "d": "65536", "heads": "1048576", "batch": "1048576"}
    made = result(**most, tiles="own", block_rows="1", block_cols="1", causal="yes")
    pairs = 2**29 * (2**29 + 1) // 2
    assert made["algorithms"]["flash2"]["flops"] == 2**40 * 4 * 65_536 * pairs
    assert made["algorithms"]["standard"]["longest"] == 0 and made["times"] is None
    shown = view(most | {"tiles": "paper", "plot": "seconds"})
    assert "no token" in shown["said"]


def texts(node):
    """Every text of a tree, with those that are read aloud only."""
    if isinstance(node, str):
        return [node]
    found = [x for child in node[2:] for x in texts(child)]
    return found + [node[1][k] for k in ("aria-label",) if k in node[1]]


@pytest.mark.parametrize("plot", ["held_bytes", "bytes", "seconds"])
def test_both_languages_show_the_same_numbers(plot):
    rng = random.Random(13)
    for _ in range(10):
        typed = draw(rng) | {"plot": plot}
        made = [view(typed | {"lang": lang}) for lang in ("en", "zh")]
        seen = [" ".join([x["said"], *texts(x["tree"])]) for x in made]
        seen = [re.sub(r"[Ff]lash\u00ad?[Aa]ttention[-\u2011]\d", "", x) for x in seen]
        numbers = [sorted(NUMBER.findall(x)) for x in seen]
        assert numbers[0] == numbers[1]
        assert not re.search("[\u4e00-\u9fff，。：]", seen[0])
        chart = made[0]["chart"]
        assert all(0 <= float(y) <= 280 for row in chart["y"] for y in row)


@pytest.mark.parametrize("words", [WORDS, FORM], ids=["result", "form"])
def test_words_are_the_same_in_both_languages(words):
    assert words["en"].keys() == words["zh"].keys()
    for key, text in words["en"].items():
        holes = [sorted(re.findall(r"\{\w+\}", x)) for x in (text, words["zh"][key])]
        assert holes[0] == holes[1] and not re.search("[\u4e00-\u9fff]", text), key
