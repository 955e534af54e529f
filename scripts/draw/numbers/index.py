"""Numbers of the front page: how much there is, and the best forward kernel."""

from pathlib import Path

from draw.figures._bench import bench, mean
from draw.tables._pitfalls import kills
from draw.tables._savings import SHAPE, rows

from tilewise.bench.cells import DIMS, SIZES
from tilewise.exercises import NAMES
from tilewise.pitfalls.suite import SUITE, smallest

SUITE_FIRST = next(iter(SUITE))  # the comparison that most people write
ROOT = Path(__file__).resolve().parents[3]


def twice():
    """The same kernel in one shape, timed alone and among others, a card at work."""
    (alone,) = rows("flash")
    told = SHAPE | {"pass": "forward", "kernel": "flash", "causal": False}
    (among,) = (x for x in bench()["rows"] if told.items() <= x.items())
    yield "alone_ms", f"{alone['ms']:.2f}"
    yield "alone_tflops", f"{alone['tflops']:.0f}"
    yield "among_tflops", f"{among['tflops']:.0f}"
    yield "among_ms", f"{among['ms']:.2f}"
    yield "among_clock", f"{among['sm_clock_mhz'] / 1e3:.2f}"


def numbers():
    """{name: text} of every number that this page takes."""
    killed = kills()
    least = smallest(killed)
    pages = [x for x in (ROOT / "docs/en").rglob("*") if x.suffix in (".md", ".py")]
    kernels = bench()["names"]["forward"]["rungs"]
    over = mean("forward", kernels[-1]) / mean("forward", "cudnn")
    fused, flash = rows("three_kernels", "flash")
    return {
        "pages": f"{len(pages)}",
        "exercises": f"{len(NAMES)}",
        "over_cudnn": f"{over:.2f}",
        "over_fused": f"{fused['ms'] / flash['ms']:.1f}",
        "cells": f"{2 * len(SIZES) * len(DIMS)}",
        "variants": f"{len(killed)}",
        "tests": f"{len(SUITE)}",
        "least": f"{len(least)}",
        "passed": f"{sum(SUITE_FIRST not in found for found in killed.values())}",
    } | dict(twice())
