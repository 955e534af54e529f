"""The numbers on the page of rules are what was measured, counted or stated."""

import importlib

import pytest
from repository import ROOT

from tilewise import hardware, ledger
from tilewise.bench.cells import cell, geometric
from tilewise.rounding import largest, roundoff, smallest

rules = importlib.import_module("draw.tables._rules")
bench = importlib.import_module("draw.figures._bench")
errors = importlib.import_module("draw.tables._errors")

PAGE = (ROOT / "docs/en/memory/best-practices.md").read_text("utf-8")
COUNTED = ledger.saved(16384, 128)


def within(ratios, words):
    """words with the least and the most of the ratios."""
    return words.format(min(ratios), max(ratios))


def times_named():
    """The page's words on time, with the numbers of the figure."""
    yield "takes {:.2f} (\\(d\\) = 64) and {:.2f} (\\(d\\) = 128)".format(
        *rules.flash(1024)
    )
    yield "At 8192 it is {:.2f} and {:.2f}".format(*rules.flash(8192))
    thin = [1 / x for x in rules.wider("two_consumers", causal=(False,))]
    yield within(thin, "with 128 it takes {:.2f} to {:.2f} times")
    yield within(rules.wider(), "tiles of 128 keys take {:.2f} to {:.2f} of")
    yield f"take {rules.squares()[0][0]:.2f} times as long as 64 × 64"
    yield within(rules.odd("N 1000"), "measured.md#unaligned) {:.2f} to {:.2f}), cuDNN")
    narrower = rules.odd("d 80", "d 96")
    yield within(narrower, "\\(d\\) = 96 take {:.2f} to {:.2f} times as long")
    slower = [geometric(rules.narrow(way)) for way in ("forward", "backward")]
    yield "{:.2f} times as long forward and {:.2f} times backward".format(*slower)


def more_times_named():
    """The same of bits and checkpoints."""
    fixed = rules.both(1, rules.FIXED)
    words = f"takes {geometric(fixed):.2f} times as long, between {{:.2f}} and {{:.2f}}"
    yield within(fixed, words)
    twice = rules.both(2, bench.TOP["backward"])
    yield within(twice, "the step of attention {:.2f} to {:.2f} times as long")


def host(**which):
    """Microseconds of a row of the host's times."""
    rows = bench.bench()["host"]
    (row,) = [x for x in rows if which.items() <= x.items()]
    return row["microseconds"]


def calls_named():
    """The page's words on the host, copies and lengths."""
    ms = rules.times("forward", "gluon_forward")
    longer = ms[16384, 128, False] / ms[1024, 128, False]
    yield f"sequences of 16k take {longer:.1f} times as long"
    once = {"pass": "forward", "grad": False, "layers": 1}
    new = host(kernel="sdpa", lengths="new", **once)
    known = host(kernel="sdpa", lengths="same", **once)
    yield f"takes [{new / 1e3:.0f} ms](../gpu/measured.md#host) where it has not seen"
    yield f"and {known:.0f} µs for one that it knows"
    yield f"takes ours {host(kernel='flash_attention', lengths='new', **once):.0f} µs"
    shape = cell(1024, 128)
    size = 2 * shape["batch"] * shape["heads"] * shape["n"] * shape["d"]
    yield f"The copies reorder {size / 1e6:.0f} MB each"
    roof = rules.results(rules.newest("roofline").stem)["copy"]["bytes_per_second"]
    us = 6 * size / roof * 1e6
    yield f"a straight copy](../why/gpu-memory.md#roofline) would take {us:.0f} µs"


def exact_named():
    """The page's words on errors, formats and counts."""
    gpu = errors.rows("gpu_rows")
    units = {
        (what, name): gpu[what, name, "o"]["rms"] / roundoff(name)
        for what, name in (("flash", "bf16"), ("flash", "fp16"), ("standard", "bf16"))
    }
    flash = units["flash", "bf16"]
    yield f"errs by {flash:.2f} unit roundoffs on the H200, plain PyTorch by"
    yield f"plain PyTorch by {units['standard', 'bf16']:.1f},"
    assert f"{flash:.2f}" == f"{units['flash', 'fp16']:.2f}"
    yield f"both err by {flash:.2f} [unit roundoffs]"
    yield f"fp16 is {roundoff('bf16') / roundoff('fp16'):.0f} times as exact"
    yield f"all digits to {largest('fp16'):,.0f}"
    assert f"{smallest('fp16'):.1e}" == "6.1e-05"
    yield "6.1 · 10<sup>−5</sup>"
    default = f"{gpu['triton default', 'fp32', 'o']['rms']:.1e}".split("e-0")
    yield "errs by {} · 10<sup>−{}</sup>".format(*default)
    yield f"[{COUNTED['standard'] / COUNTED['flash2']:.0f} times fewer]"
    yield f"that is {100 * 1024 / (1024 + 6 * 2048):.1f}% at"
    yield f"and half at {6 * 2048:,}"
    yield f"or {100 * 2048 / (2048 + 6 * 4096):.1f}%"
    yield f"\\(2048 / {2048 + 6 * 4096:,}\\)".replace(",", "{,}")
    units = hardware.GPUS["H200"]["sms"]["value"]
    yield f"makes {16 * 1024 // 128} programs, nearly enough for the {units} SMs"


NAMED = (times_named, more_times_named, calls_named, exact_named)


@pytest.mark.parametrize("words", [x for named in NAMED for x in named()])
def test_the_page_says_what_was_measured(words):
    assert words in PAGE
