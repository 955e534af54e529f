"""What scripts/measure/ring/ring.py measured on GPUs, and the page's words on it."""

import importlib
from math import ceil

import pytest
from repository import ROOT

from tilewise.ledger.ring import LINKS, at_once, step_bytes, working_set

table = importlib.import_module("draw.tables.memory.ring_times")
memory = importlib.import_module("draw.tables.memory.ring_memory")
DATA, GROUPED = table.found(), "16 heads, 2 of keys"
ROWS = {(r["world"], r["way"], r["shape"], r["n"]): r for r in DATA["rows"]}
ALL, GQA = table.times(), table.times(GROUPED)
N = 131_072


def test_rows_follow_from_what_was_measured():
    right = {(c["world"], c["way"], c["shape"]) for c in DATA["checks"] if c["right"]}
    for (world, way, shape, n), row in ROWS.items():
        heads, kv_heads, d = DATA["shapes"][shape]
        assert (world, way, shape) in right
        assert row["min"] <= row["ms"] <= row["max"]
        assert row["tflops"] == pytest.approx(
            7 * n * (n + 1) * heads * d / row["ms"] / 1e9
        )
        if one := ROWS.get((1, "ring", shape, n)):
            assert row["ratio"] == one["ms"] / row["ms"]
        inputs = 2 * (heads + kv_heads) * n // world * d * 2  # q, k, v, do in bf16
        assert row["input_bytes"] == inputs < row["peak_bytes"]


def test_checks_were_passed():
    for check in DATA["checks"]:
        errors = check["error"].items()
        assert check["right"] and all(x <= check["allowed"][name] for name, x in errors)


def gained():
    """The page's words on two GPUs, with the numbers that were measured."""
    long = [table.gain(n) for n in (N, 2 * N, 4 * N)]
    yield f"are {min(long):.2f} to {max(long):.2f} times as fast"
    long = [table.gain(n, GROUPED) for n in (N, 2 * N, 4 * N)]
    yield f"2 heads of keys {min(long):.2f} to {max(long):.2f} times"
    one, two = (ALL[*way, 16_384] for way in table.WAYS[:2])
    yield f"they are a loss: {two:.1f} ms instead of {one:.1f}"
    forward, backward = ROWS[2, "ring", table.SHAPE, 16_384]["at_once"]
    assert (ceil(16 / forward), ceil(16 / backward)) == (2, 3)
    grouped = GQA[2, "ring", 16_384], GQA[1, "ring", 16_384]
    yield "it is one turn, and {:.1f} ms instead of {:.1f}".format(*grouped)
    assert ROWS[2, "ring", GROUPED, 16_384]["at_once"] == [2, 2]


def compared():
    """The same of overlap and of PyTorch's way."""
    later = {
        n: ALL[2, "ring_first", n] / ALL[2, "ring", n] - 1
        for w, way, n in ALL
        if way == "ring_first"
    }
    assert max(later[n] for n in (65_536, N, 2 * N)) < 0.015 and max(later) == 2 * N
    yield f"takes {100 * later[32_768]:.0f}% longer at 32,768, and 1% or less from"
    sent, pass_ = step_bytes(N, 2, 1, 128), ROWS[2, "ring", table.SHAPE, N]
    assert pass_["at_once"][0] == 1
    yield f"16 messages of {sent / 1e6:.0f} MB to hide"
    took = 16e3 * sent / LINKS["NVLink"][0]
    yield f"{took:.1f} ms at NVLink's rate, of {pass_['forward_ms']:.0f} that the"
    lost = GQA[2, "ring", N] / GQA[2, "ring_first", N] - 1
    yield f"gains nothing, and loses {100 * lost:.0f}% at 131,072"
    theirs = [ALL[world, "torch_allgather", N] for world in (1, 2)]
    slower = [ms / ALL[w, "ring", N] for w, ms in zip((1, 2), theirs, strict=True)]
    yield f"takes {slower[1]:.2f} times as long on two GPUs at 131,072, and"
    yield f"and {slower[0]:.2f} times on one"
    gains = theirs[0] / theirs[1], table.gain(N)
    yield "{:.2f} times and not {:.2f}, for".format(*gains)


def remembered():
    """The same of memory."""
    share, one = 32_768, ROWS[1, "ring", table.SHAPE, N]["peak_bytes"]
    each = sum(working_set(share, share, 1, 128, 128, backward=True).values())
    yield f"a head of 128 columns and \\(n\\) = {share:,} needs {each / 2**20:.0f} MiB"
    kept = 8 * 16 * share * 128 * 2 + 16 * share * 4
    assert 16 * each > 2 * kept  # "more than twice"
    yield f"[took {one / 2**30:.2f} GiB]"
    few = at_once(share, share, 16, 16, 128, 128, backward=True)
    assert 3.95 < one / (kept + few * each) < 4.05  # "four times"
    most, grouped = memory.peaks(), memory.peaks(GROUPED)
    for n in (N, 2 * N):  # "1 to 2% below"
        assert 1.01 < most[2, "ring", n] / memory.counted(n) < 1.025
    yield f"it took {memory.say(most[1, 'torch_allgather', N])} GiB at 131,072"
    few, whole = grouped[2, "ring_first", N], grouped[1, "ring", N]
    yield "took {} GiB of {} at 131,072, {:.2f} again, and {} in".format(
        *map(memory.say, (few, whole)), few / whole, memory.say(grouped[2, "ring", N])
    )
    row = ROWS[2, "ring", table.SHAPE, 2**20]
    took = row["peak_bytes"] / 2**30, row["ms"] / 1e3
    yield "million positions took {:.1f} GiB and {:.0f} s a step".format(*took)
    fill = {
        (x["world"], x["way"], x["shape"]): x["extrapolated_n"] / 1e6
        for x in DATA["longest"]
    }
    full = [fill[world, "ring", table.SHAPE] for world in (1, 2)]
    yield "{:.1f} million on one, {:.1f} million on two".format(*full)


@pytest.mark.parametrize("words", [gained, compared, remembered])
def test_the_page_says_what_was_measured(words):
    page = (ROOT / "docs/en/memory/many-gpus.md").read_text("utf-8")
    assert [x for x in words() if x not in page] == []


def test_the_page_links_the_file_that_the_table_is_made_of():
    name = f"h200-{DATA['date']}-ring.json"
    for lang in ("en", "zh"):
        page = (ROOT / f"docs/{lang}/memory/many-gpus.md").read_text("utf-8")
        assert page.count(name) == 3 and page.count("-ring.json") == 3


def test_tables_have_the_same_numbers_in_both_languages():
    lines = [table.draw(lang).splitlines() for lang in ("en", "zh")]
    assert lines[0][1:] == lines[1][1:] and len(lines[0]) == 8
    shown = [table.say(x) for x in (6.27, 103.93, 1670.56, None)]
    assert shown == ["6.3", "103.9", "1,671", "–"]


def test_memory_falls_as_one_over_the_number_of_gpus():
    most = memory.peaks()
    for n in (2**16, N, 2 * N, 4 * N):
        assert 0.5 <= most[2, "ring", n] / most[1, "ring", n] < 0.512
    lines = [memory.draw(lang).splitlines() for lang in ("en", "zh")]
    assert lines[0][1:] == lines[1][1:] and len(lines[0]) == 8
