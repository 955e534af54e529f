"""`ledger` on a card: roofline, memory, other tiles; how numbers are written."""

import json

from tilewise.cli import main
from tilewise.render.ledger import ratio


def show(capsys, *options):
    assert main(["ledger", *map(str, options)]) == 0
    return capsys.readouterr().out


def made(capsys, *options):
    return json.loads(show(capsys, "--format", "json", *options))


def test_a_card_of_ones_own(capsys):
    """The roofline and the longest N follow the numbers that are given."""
    own = ["--bandwidth", 2, "--tflops", "0.5", "--memory", "0.001", "--sram", 9999]
    found = made(capsys, "--n", 512, *own)
    assert (found["gpu"], found["bandwidth"], found["peak"]) == (None, 2e12, 5e11)
    assert found["memory"] == 1_073_741  # of which 2 bytes make 536,870 elements
    for x in found["algorithms"].values():
        assert x["memory_seconds"] == x["bytes"] / 2e12
        assert x["compute_seconds"] == x["flops"] / 5e11
    assert found["algorithms"]["standard"]["longest"] == 458  # 2N² + 4Nd
    other = made(capsys, "--gpu", "a100", "--bandwidth", "3.35", "--dtype", "fp32")
    assert (other["bandwidth"], other["peak"]) == (3.35e12, 19.5e12)


def test_what_is_not_known_is_not_said(capsys):
    text = show(capsys, "--sram", 9999)
    assert "time" not in text and "longest" not in text and "None" not in text
    assert "time" not in show(capsys, "--dtype", "fp64")  # no peak is known
    assert "in HBM at once" in text


def test_ratios_as_they_are_read():
    shown = {0.012345: "0.012", 0.5: "0.50", 1.0: "1.00", 123.4: "123.4"}
    assert {x: ratio(x) for x in shown} == shown
