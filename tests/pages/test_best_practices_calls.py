"""The page of rules says what scripts/measure/practices measured on calls."""

import importlib
from itertools import product

import pytest
from repository import ROOT

from tilewise import hardware
from tilewise.bench.cells import DIMS, geometric

found = importlib.import_module("draw.tables._practices")
tf32 = importlib.import_module("draw.tables.memory.tf32_time")

PAGE = (ROOT / "docs/en/memory/best-practices.md").read_text("utf-8")


def within(ratios, words):
    """words with the least and the most of the ratios."""
    return words.format(min(ratios), max(ratios))


def formats_named():
    """The page's words on formats, TF32 and bits."""
    half = found.half()
    yield f"over {len(half)} comparisons fp16"
    yield within(half, "{:.2f} to {:.2f} times as long, ") + (
        f"{geometric(half):.2f} in the mean"
    )
    cells = [*product((1024, 4096), DIMS)]
    slower = [
        tf32.row("ours", "high", *x)["ms"] / tf32.row("efficient", "high", *x)["ms"]
        for x in cells
    ]
    errors = [tf32.row(x, "highest")["error"]["o"] for x in tf32.WAYS]
    digits, power = f"{max(errors):.1e}".split("e-0")
    yield f"all err by {digits} · 10<sup>−{power}</sup> at most"
    yield within(slower, "which takes {:.1f} to {:.1f} times as long as that one")
    yield f"ours then takes {tf32.row('ours', 'high', dtype='bfloat16')['ms']:.2f} ms"
    yield within(
        found.switched("math", "bfloat16"), "it falls to {:.2f} to {:.2f} of its time"
    )
    for what in ("efficient", "ours"):
        assert all(abs(x - 1) < 0.01 for x in found.switched(what))
    yield within(found.fixed("cudnn"), "ran as always, at {:.2f} to {:.2f} of")
    assert min(found.fixed("efficient", [16384])) > max(found.fixed("flash", [16384]))
    assert len(found.fixed("math")) == 10 and len(found.fixed("ours")) == 12


def calls_named():
    """The page's words on masks and views."""
    yield within(found.flagged("ours"), "ours takes {:.2f} to {:.2f} of the full time")
    yield within(
        found.masked(), "function take {:.1f} to {:.1f} times as long as cuDNN"
    )
    yield within(
        found.masked(), "as a tensor it takes {:.1f} to {:.1f} times as long |"
    )
    full = found.masked("cudnn, full")
    yield within(full, "and {:.1f} to {:.1f} times as long as with no mask")
    math = found.over("masks", "math, causal", "cudnn, causal")
    yield within(math, "and needs {:.0f} to {:.0f} times cuDNN's time")
    yield within(
        found.viewed("ours"), "On such views ours takes {:.2f} to {:.2f} times"
    )
    theirs = (found.viewed("cudnn"), found.viewed("flash"))
    words = "cuDNN {:.2f} to {:.2f}, FlashAttention-2 {:.2f} to {:.2f}."
    yield words.format(*(f(x) for x in theirs for f in (min, max)))
    assert len(found.copied()) == 18 and min(found.copied()) > 1
    yield within(found.copied([1024]), "it takes {:.2f} to {:.2f} times as long as the")
    yield within(found.copied([16384]), "at 1k, and {:.2f} to {:.2f} times at 16k")
    more = [
        found.ms("views", f"{kernel}, view copied", n=n, d=d)
        - found.ms("views", f"{kernel}, view", n=n, d=d)
        for kernel, n, d in product(found.FUSED, (1024, 4096), DIMS)
    ]
    yield within(more, "and cost {:.2f} to {:.2f} ms up to 4k")


def compiler_named():
    """The page's words on torch.compile."""
    theirs = [
        found.compiled("standard", causal, before="sdpa") for causal in (False, True)
    ]
    yield within(theirs[0], "in its place: {:.2f} to {:.2f} of that one's time")
    yield within(theirs[1], "is still {:.1f} to {:.1f} times that of the fused")
    yield within(found.compiled("standard", True), "it leaves {:.2f} to {:.2f} of")
    fused = [found.compiled(x, c) for x in ("sdpa", "ours") for c in (False, True)]
    words = "PyTorch's takes {:.2f} to {:.2f} of its time, ours {:.2f} to {:.2f}."
    pairs = (fused[0] + fused[1], fused[2] + fused[3])
    yield words.format(*(f(x) for x in pairs for f in (min, max)))


def programs_named():
    """The page's words on clocks, first calls and the emptied cache."""
    clock = {(row["what"], row["n"]): row for row in found.part("clocks")}
    long, flash = clock["ours", 16384], clock["flash", 1024]
    yield f"returns after {1e3 * long['seconds_returned']:.2f} ms"
    yield f"its result is there after {1e3 * long['seconds']:.1f} ms"
    peak = hardware.GPUS["H200"]["bf16"]["value"] / 1e12
    times = long["tflops_returned"] / peak
    yield f"shows {long['tflops_returned'] / 1e3:.1f} PFLOP/s, {times:.0f} times the"
    yield f'otherwise {times:.0f} times the peak is "measured"'
    (graph,) = found.rows(
        "formats", what="flash, bfloat16", n=1024, d=128, **{"pass": "forward"}
    )
    yield f"seems to reach {flash['tflops_returned']:.0f} TFLOP/s"
    yield f"in a CUDA graph it is {graph['tflops']:.0f}"
    yield f"and finds {flash['tflops']:.0f}"
    for kept, words in (
        (False, "takes {:.1f} s, and"),
        (True, "and {:.1f} s in the next"),
    ):
        (row,) = found.rows("first_calls", what="sdpa", kept_on_disk=kept)
        yield words.format(row["seconds"][0][1])
    yield within(found.emptied(), "{:.1f} to {:.1f} times the time, the same peak")
    step = {(len(x["sizes"]), x["what"]): x for x in found.part("empty_cache")}
    ms = [step[n, x]["ms"] for n in (1, 4) for x in ("never", "every step")]
    yield "for {:.0f} ms a step, and for {:.0f} ms if".format(*ms[:2])
    yield "in turn it is {:.0f} and {:.0f} ms".format(*ms[2:])
    (peak,) = {f"{x['peak_reserved'] / 1e9:.1f}" for x in step.values()}
    yield f"stays at {peak} GB in each case"
    assert not any(x["retries"] for x in step.values())


NAMED = (formats_named, calls_named, compiler_named, programs_named)


@pytest.mark.parametrize("words", [x for named in NAMED for x in named()])
def test_the_page_says_what_was_measured(words):
    assert words in PAGE
