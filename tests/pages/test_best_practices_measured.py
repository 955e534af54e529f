"""The page of rules says what scripts/measure/practices measured on sizes."""

import importlib
from itertools import product

import pytest
from repository import ROOT

from tilewise.bench.cells import DIMS, PASSES

found = importlib.import_module("draw.tables._practices")
decoding = importlib.import_module("draw.tables.memory.decoding")
tiles = importlib.import_module("draw.tables.memory.tile_sizes")
short = importlib.import_module("draw.figures.memory.short_sequences")

PAGE = (ROOT / "docs/en/memory/best-practices.md").read_text("utf-8")
FUSED = ("flash", "cudnn", "efficient", "ours")


def within(ratios, words):
    """words with the least and the most of the ratios."""
    return words.format(min(ratios), max(ratios))


def lengths_named():
    """The page's words on short sequences."""
    way = dict(zip(("f", "b"), PASSES, strict=True))
    ours = {(p, d): short.ratio("ours", way[p], 64, d) for p in way for d in DIMS}
    yield f"it takes {ours['f', 64]:.2f} times as long as standard attention at \\(d"
    yield f"backward {ours['b', 64]:.2f} (\\(d\\) = 64) and {ours['b', 128]:.2f} times"
    cudnn = [short.ratio("cudnn", "forward", 64, d) for d in DIMS]
    yield "forward, at {:.2f} and {:.2f}. Backward standard".format(*cudnn)
    one = [x for x in found.part("short") if x["batch"] == 1 and x["pass"] == "forward"]
    us = {
        (graph, kernel): [
            1e3 * x["ms"] for x in one if (x["graph"], x["what"]) == (graph, kernel)
        ]
        for graph, kernel in product((True, False), ("standard", *FUSED))
    }
    assert {len(x) for x in us.values()} == {10}
    yield within(sum((us[True, x] for x in FUSED), []), "work for {:.0f} to {:.0f} µs")
    yield within(us[False, "standard"], "takes {:.0f} to {:.0f} µs written out")
    theirs = sum((us[False, x] for x in FUSED[:3]), [])
    yield within(theirs, "{:.0f} to {:.0f} µs as one of PyTorch's fused")
    yield within(us[False, "ours"], "and {:.0f} to {:.0f} µs as ours")


def decoding_named():
    """The page's words on one new token, and on fewer key heads."""
    cases = [*product((1, 16), decoding.HEADS)]
    slower = {
        (batch, k): decoding.time("ours", k, batch) / decoding.time("cudnn", k, batch)
        for batch, k in cases
    }
    one = [x for (batch, _), x in slower.items() if batch == 1]
    yield f"ours takes {min(one):.1f} to {max(one):.0f} times as long as cuDNN for one"
    yield f"ours takes up to {max(slower.values()):.0f} times as long as cuDNN |"
    assert slower[16, 32] < 1.02 and min(slower[16, 8], slower[16, 1]) > 2
    size = 2 * 2 * 16 * 32 * 16384 * 128
    speed = size / decoding.time("cudnn", 32, 16) / 1e6
    yield f"are {size / 1e9:.2f} GB, and cuDNN reads them at {speed:.2f} TB/s"
    few = {
        (name, b): decoding.time(name, 8, b) / decoding.time(name, 32, b)
        for name, b in product(("cudnn", "ours"), (1, 16))
    }
    yield (
        f"takes](#decoding) {few['cudnn', 16]:.2f} of the time for sixteen sequences"
        f" and {few['cudnn', 1]:.2f} for one; ours takes {few['ours', 16]:.2f}"
        f" and {few['ours', 1]:.2f}"
    )
    yield within(found.fewer(), "heads for 16 take {:.2f} to {:.2f} of the time")


def sizes_named():
    """The page's words on tiles and padding."""
    best = {d: tiles.best(d) for d in DIMS}
    narrow = [best[d][32, c] / best[d][64, c] for d, c in product(DIMS, tiles.COLS)]
    yield within(narrow, "in place of 64 it takes {:.1f} to {:.1f} times")
    thin = [best[d][r, 32] / best[d][r, 64] for d, r in product(DIMS, (64, 128))]
    yield within(thin, "keys in place of 64 only {:.2f} to {:.2f} times")
    few = tiles.times(128)
    yield f"with 4 it takes {few[128, 128, 4] / few[128, 128, 8]:.2f} times as long"
    assert all(min(x, key=x.get) == (128, 64) for x in best.values())
    yield within(found.filled(), "takes {:.1f} to {:.1f} times as long as cuDNN on")
    yield within(found.filled(), "filling up takes {:.1f} to {:.1f} times as long |")
    yield within(
        found.whole("ours"), "ours take {:.2f} to {:.2f} times as long at 1000"
    )
    yield within(found.whole("cudnn"), "cuDNN {:.2f} to {:.2f}, the memory-efficient")
    yield within(found.whole("efficient"), "memory-efficient kernel {:.2f} to {:.2f}.")
    flash = found.whole("flash")
    most = flash.pop(1)
    yield within(flash, "FlashAttention-2 takes {:.2f} to {:.2f} times as long, and")
    yield f"and {most:.2f} times forward with a causal mask"


def batches_named():
    """The page's words on the batch."""
    speed = {
        (row["pass"], row["batch"]): row["tflops"]
        for row in found.rows("batches", what="ours")
    }
    f, b = (tuple(round(speed[way, n]) for n in (1, 64)) for way in PASSES)
    yield f"{f[0]} TFLOP/s forward and {b[0]} backward, 64 of them {f[1]} and {b[1]}"
    part = speed["forward", 1] / speed["forward", 64]
    yield f"one sequence of 1024 reaches {100 * part:.0f}% of the speed of 64"


NAMED = (lengths_named, decoding_named, sizes_named, batches_named)


@pytest.mark.parametrize("words", [x for named in NAMED for x in named()])
def test_the_page_says_what_was_measured(words):
    assert words in PAGE
