"""The numbers of GPUs: each has a source, and they agree with what was measured."""

import json

import pytest
from repository import ROOT

from tilewise import hardware
from tilewise.hardware import CEILINGS, GPUS, LEVELS, SOURCES, attainable, ridge

EACH = pytest.mark.parametrize("gpu", GPUS)


def facts(tree, path=""):
    """Every number in a description with its path, such as levels.hbm.bandwidth."""
    for key, value in tree.items():
        if isinstance(value, dict):
            found = "value" in value
            yield from (
                [(path + key, value)] if found else facts(value, path + key + ".")
            )


def values(gpu, quantity):
    """A quantity down the levels, where it is known."""
    levels = [GPUS[gpu]["levels"][x] for x in LEVELS]
    return [x[quantity]["value"] for x in levels if quantity in x]


@EACH
def test_every_number_has_a_source(gpu):
    for path, fact in facts(GPUS[gpu]):
        assert fact["value"] > 0, path
        assert fact["source"] in SOURCES, path
        assert fact["kind"] in {"stated", "derived", "measured"}, path
        assert ("how" in fact) == (fact["kind"] == "derived"), path


def test_every_source_is_used_and_can_be_found():
    trees = [*GPUS.values(), CEILINGS]
    used = {fact["source"] for tree in trees for _, fact in facts(tree)}
    assert used == set(SOURCES)
    for title, publisher, address in SOURCES.values():
        assert title and publisher
        assert address.startswith("https://") or (ROOT / address).is_file()


@EACH
def test_each_level_down_is_larger_and_slower(gpu):
    bandwidth, latency = values(gpu, "bandwidth"), values(gpu, "latency")
    assert bandwidth == sorted(bandwidth, reverse=True)
    assert latency == sorted(latency)
    l2, hbm = values(gpu, "capacity")[2:]
    assert l2 < hbm


def test_all_registers_together_are_larger_than_shared_memory():
    for gpu in GPUS:  # the hierarchy is no pyramid of capacities: it widens upwards
        registers, shared = values(gpu, "capacity")[:2]
        assert registers > shared
    assert values("A100", "capacity")[0] == 108 * 256 * hardware.KB


@EACH
def test_derived_numbers_follow(gpu):
    g = GPUS[gpu]
    n, clock, levels = g["sms"]["value"], g["clock"]["value"], g["levels"]
    for name in ("registers", "shared"):
        whole = levels[name]["capacity"]["value"]
        assert whole == n * levels[name]["per_sm"]["value"]
    assert levels["shared"]["bandwidth"]["value"] == 32 * 4 * n * clock
    assert levels["registers"]["bandwidth"]["value"] == g["fp32"]["value"] / 2 * 3 * 4
    assert g["exp"]["value"] == 16 * n * clock
    shared = levels["shared"]
    assert shared["per_sm"]["value"] < shared["with_l1_per_sm"]["value"]


@pytest.mark.parametrize(("gpu", "products"), {"A100": 1024, "H100": 2048}.items())
def test_clock_and_peak_agree(gpu, products):
    """Dense bf16 multiply-adds a clock in each SM, as the white papers give them."""
    g = GPUS[gpu]
    peak = 2 * products * g["sms"]["value"] * g["clock"]["value"]
    assert peak == pytest.approx(g["bf16"]["value"], rel=1e-3)


def test_ridge_points():
    rounded = {gpu: round(ridge(gpu)) for gpu in GPUS}
    assert rounded == {"A100": 153, "H100": 295, "H200": 206}


@EACH
def test_attainable_is_the_lower_roof(gpu):
    peak = GPUS[gpu]["bf16"]["value"]
    slope = GPUS[gpu]["levels"]["hbm"]["bandwidth"]["value"]
    assert attainable(gpu, 0) == 0
    assert attainable(gpu, 1) == slope
    assert attainable(gpu, ridge(gpu)) == pytest.approx(peak)
    assert attainable(gpu, 1e6) == peak


def test_bad_input_gets_one_clear_error():
    with pytest.raises(ValueError, match="one of A100, H100, H200, not 'B200'"):
        ridge("B200")
    with pytest.raises(ValueError, match="at least 0 FLOP per byte, not -1"):
        attainable("H200", -1)


def test_measured_numbers_are_those_of_the_results():
    read = {
        x: json.loads((ROOT / SOURCES[x][2]).read_text())
        for x in SOURCES
        if x in ("latency", "roofline")
    }
    h200, latency, roof = GPUS["H200"], read["latency"], read["roofline"]
    levels, got = h200["levels"], latency["latency"]
    for name in ("shared", "l2", "hbm"):
        assert levels[name]["latency"]["value"] == round(got[name]["cycles"]["median"])
    work = latency["operations"]
    assert h200["exp_per_clock"]["value"] == work["exp2"]["per_clock_per_sm"]["median"]
    fma = work["fma"]["latency_cycles"]["median"]
    assert levels["registers"]["latency"]["value"] == round(fma)
    sets = [x for x in latency["read_bandwidth_by_set"] if x["bytes"] < 48e6]
    rates = sorted(x["bytes_per_second"]["median"] for x in sets)
    middle = rates[len(rates) // 2]
    assert levels["l2"]["bandwidth"]["value"] == pytest.approx(middle, rel=0.001)
    assert levels["l2"]["capacity"]["value"] == roof["machine"]["l2_bytes"]
    assert h200["sms"]["value"] == roof["machine"]["sms"]
    offered = roof["machine"]["memory_bytes"]
    assert f"{offered / hardware.GB:.1f}" in levels["hbm"]["capacity"]["note"]
    assert 141e9 < offered < 141 * hardware.GB  # so a GB of the data sheet is 2³⁰ bytes
    tflops = roof["matmul"]["tflops"]
    assert CEILINGS["bf16"]["value"] == pytest.approx(tflops * 1e12, rel=1e-2)
    copied = roof["copy"]["bytes_per_second"]
    assert CEILINGS["hbm"]["value"] == pytest.approx(copied, rel=1e-2)


def test_each_source_is_among_the_references():
    page = (ROOT / "docs/en/reference/references.md").read_text("utf-8").splitlines()
    for title, publisher, address in SOURCES.values():
        if publisher != hardware.HERE:
            (line,) = [x for x in page if f"]({address})" in x and "{ #" in x]
            name = title.split(",")[0].removeprefix("NVIDIA ")
            assert name in line and publisher.split()[0] in line
