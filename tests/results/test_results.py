"""Raw results of measurements: each names its machine, versions, date and command."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from repository import ROOT

FILES = sorted((ROOT / "benchmarks/results").glob("*.json"))
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
ROOFLINES = [path for path in FILES if path.stem.endswith("-roofline")]
MEMORY = [path for path in FILES if path.stem.endswith("-memory")]
VERSIONS = {"gpu": {"driver", "cuda"}, "cpu": {"cpu", "cores", "python"}}


def read(path):
    return json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)


@EACH
def test_says_where_when_and_how(path):
    result = read(path)
    kind = "gpu" if "gpu" in result else "cpu"
    assert {kind, "date", "command", "method", "machine"} <= result.keys()
    assert {"torch", *VERSIONS[kind]} <= result["machine"].keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"])
    short = result["gpu"].split()[1].lower() if kind == "gpu" else "cpu"
    assert path.stem.startswith(f"{short}-{result['date']}-")
    if not result["command"].startswith("python -m tilewise bench"):
        name = Path(result["command"].split()[1]).name  # its folder may have changed
        assert any((ROOT / "scripts").rglob(name)), f"no {name} to measure it again"


def test_each_is_the_newest_of_its_kind_and_on_a_page():
    """A page that links one that is not there is found by tests/site/test_links.py."""
    kinds = Counter(re.sub(r"-\d{4}-\d\d-\d\d", "", path.stem) for path in FILES)
    assert [kind for kind, count in kinds.items() if count > 1] == []
    text = "".join(x.read_text("utf-8") for x in (ROOT / "docs/en").rglob("*.md"))
    assert [x.name for x in FILES if f"assets/results/{x.name}" not in text] == []


@EACH
def test_names_no_place_on_the_machine(path):
    text = path.read_text("utf-8").replace("/v1/attention", "")  # of the service
    assert not re.search(r'["\s](/[\w.-]+){2,}', text)


@pytest.mark.parametrize("path", ROOFLINES, ids=lambda path: path.stem)
def test_roofline_rows_follow_from_what_was_measured(path):
    for row in read(path)["rows"]:
        heads, n, d = row["batch"] * row["heads"], row["n"], row["d"]
        assert row["tflops"] == pytest.approx(row["flops"] / row["ms"] / 1e9)
        assert row["min"] <= row["ms"] <= row["max"]
        if "error" in row:
            assert row["error"] < 1e-2
            assert row["flops"] == 4 * heads * n * n * d
            assert row["bytes_compulsory"] == 4 * heads * n * d * 2


@pytest.mark.parametrize("path", ROOFLINES, ids=lambda path: path.stem)
def test_what_standard_attention_asks_for_reaches_dram(path):
    result = read(path)
    cache = result["machine"]["l2_bytes"]
    for row in result["rows"]:
        if row["what"] in ("standard", "three_kernels", "scale", "softmax"):
            moved = row["dram_read"] + row["dram_write"]
            slack = len(row["kernels"]) * cache  # what L2 keeps between two kernels
            assert abs(moved - row["bytes_counted"]) < slack


@pytest.mark.parametrize("path", MEMORY, ids=lambda path: path.stem)
def test_tiles_need_a_tenth_of_standard_attentions_memory(path):
    peak = {(row["what"], row["n"]): row for row in read(path)["rows"]}
    for row in peak.values():
        assert 0 < row["min"] <= row["peak_bytes"] <= row["max"]
    for n in {n for _, n in peak}:
        assert peak["standard", n]["min"] > 2 * 4 * n * n  # S and P in fp32
    assert 10 * peak["flash_attention", 8192]["max"] < peak["standard", 8192]["min"]
    assert 10 * peak["flash_attention", 8192]["max"] < peak["written", 8192]["min"]
    grown = peak["flash_attention", 8192]["max"] - peak["flash_attention", 1024]["min"]
    assert grown < 16 * 4 * 7168 * 64  # so many tensors of N × d: not N²
