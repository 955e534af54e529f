"""Plots and tables of the GPU pages: to scale, under the roof, equal in languages."""

import importlib
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tilewise.hardware import GPUS, attainable

hierarchy = importlib.import_module("draw.figures.why.memory_hierarchy")
methods = importlib.import_module("draw.figures._methods")
plot = importlib.import_module("draw.figures._plot")
roofline = importlib.import_module("draw.figures.why.roofline")
steps = importlib.import_module("draw.figures.why.latency_steps")
SVG = "{http://www.w3.org/2000/svg}"


def boxes(module, cls):
    """Width and height of the rectangles of a class."""
    found = ET.fromstring(module.draw("en")).iter(f"{SVG}rect")
    found = [x for x in found if x.get("class") == cls]
    return [(float(x.get("width")), float(x.get("height"))) for x in found]


def test_capacities_are_areas_to_one_scale():
    specks = [w * h for w, h in boxes(hierarchy, "tw-dot") if w == h]
    slabs = [w * h for w, h in boxes(hierarchy, "tw-hbm")]
    for n, gpu in enumerate(GPUS):
        for level, area in zip(hierarchy.CHIP, specks[3 * n : 3 * n + 3], strict=True):
            want = hierarchy.value(gpu, level, "capacity") * hierarchy.AREA
            assert area == pytest.approx(want, rel=0.01)
        want = hierarchy.value(gpu, "hbm", "capacity") * hierarchy.AREA
        assert slabs[n] == pytest.approx(want, rel=0.01)


def test_bandwidths_are_widths_to_one_scale():
    paths = ET.fromstring(hierarchy.draw("en")).iter(f"{SVG}path")
    shafts = []
    for path in (x for x in paths if x.get("class") == "tw-m"):
        xs = sorted(
            {float(p.split()[0]) for p in re.split("[ML]", path.get("d")[1:-1])}
        )
        shafts.append(xs[-2] - xs[1])  # inside the two corners of the head
    rates = [
        hierarchy.value(gpu, level, "bandwidth")
        for gpu in GPUS
        for level in ("shared", "l2", "hbm")
    ]
    want = [x * hierarchy.WIDTH for x in rates if x]
    assert shafts == pytest.approx(want, abs=0.11)


def test_nothing_measured_is_above_the_roof():
    for row in plot.results("h200-2026-11-20-roofline")["rows"]:
        intensity, tflops = roofline.point(row)
        assert 0 < tflops * 1e12 <= attainable("H200", intensity)


def test_roofline_shows_the_slope_and_the_ridge():
    at = roofline.points()
    for name in ("softmax", "standard", "three_kernels", "qk", "pv"):
        assert at[name][1024][0] < 206
    for name in ("flash", "cudnn"):
        assert 206 < at[name][1024][0] < at[name][8192][0]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_steps_say_what_was_measured(lang):
    found = plot.results("h200-2026-11-20-latency")["latency"]
    drawn = steps.draw(lang)
    for level in ("l1", "l2", "hbm"):
        median = round(found[level]["cycles"]["median"])
        assert f"{level.upper()}: {median}</text>" in drawn


def test_numbers_with_units():
    assert plot.size(228 * 2**10) == "228 KiB" and plot.size(141 * 2**30) == "141 GB"
    assert plot.rate(2.039e12) == "2.04 TB/s" and plot.rate(600e9) == "600 GB/s"
    assert plot.digits(1980.4) == "1980" and plot.digits(0.2531) == "0.253"


def test_each_method_has_one_look_from_one_file():
    """No other file chooses a method's class, and the style sheet has each of them."""
    root, used = Path(__file__).parents[2], set()
    for path in [*root.glob("scripts/draw/**/*.py"), *root.glob("docs/generated/**/*")]:
        if path.suffix in (".py", ".svg", ".html") and path.name != "_methods.py":
            found = set(re.findall(r"tw-of-(\w+)", path.read_text("utf-8")))
            assert path.suffix != ".py" or not found, path
            used |= found
    css = (root / "docs/assets/tilewise.css").read_text("utf-8")
    calculator = {"ideal"}  # tilewise.live.calculator_plots has it, too
    assert used | calculator == set(re.findall(r"\.tw-of-(\w+)", css))
    assert {name for name, _ in methods.LOOK.values()} <= used
