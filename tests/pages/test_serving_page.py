"""The numbers of the page on serving come from a file or a formula."""

import json
import re
import shutil
import subprocess

import pytest
from repository import ROOT

from tilewise.hardware import roofs
from tilewise.serve.limits import LIMITS, MIB

from ..serve._service import server

PAGES = sorted(ROOT.glob("docs/*/memory/serving.md"))
(FILE,) = ROOT.glob("benchmarks/results/cpu-*-serve.json")
FOUND = json.loads(FILE.read_text("utf-8"))
TEXT = (ROOT / "docs/en/memory/serving.md").read_text("utf-8")


@pytest.fixture(scope="module")
def port():
    with server() as (_, port):
        yield port


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.parent.parent.name)
def test_what_the_page_types_works(page, port):
    lines = re.findall("^curl .*", page.read_text("utf-8"), re.M)
    said = []
    for line in lines:
        command = line.replace("127.0.0.1:8000", f"127.0.0.1:{port}") + " --fail"
        said.append(subprocess.check_output(command, shell=True, timeout=60))
    assert json.loads(said[0])["o"][0][0][0] == pytest.approx([5, 4], abs=1e-12)
    assert json.loads(said[1])["ready"] and b"# HELP tilewise_" in said[2]
    assert json.loads(said[3])["openapi"] and len(lines) == 4


def test_bytes_of_the_page():
    peak, hbm = roofs("H100")
    rows, wire = 32 * 128 * 2, 10e9 / 8
    compute = 4 * 4096**2 * 128 * 32 / peak
    factor = 4 * 4096 * rows / wire / compute
    assert f"{factor:.0f} times as long" in TEXT and f"{factor / 10:.0f} times" in TEXT
    assert f"{4 * 4096 * rows / 1e6:.0f} MB" in TEXT
    assert f"moves {2 * 4097 * rows / 1e6:.0f} MB for 67 million" in TEXT
    assert round(4 * 4096 * 128 * 32 / 1e6) == 67
    assert f"{2 * 4097 * rows / hbm * 1e6:.0f} µs" in TEXT
    assert f"{4 * rows / 1e3:.0f} KB remain" in TEXT
    slower = f"{hbm / wire:.0f}"  # the same bytes, from HBM and over 10 Gbit/s
    assert f"take {slower} and {hbm / wire / 10:.0f} times as long" in TEXT
    assert f"between {factor / 10:.0f} and {slower} is missing" in TEXT
    n = 10**6 // 6  # numbers of a megabyte in half precision, for q, k and v each
    assert f"{n // 1000},000 queries" in TEXT and f"{n * n / 1e9:.0f} billion" in TEXT
    assert n * n * (512 + 2) > 100 * LIMITS["max_work"] * 10**9
    assert f"{LIMITS['queue']} places" in TEXT and f"{LIMITS['deadline']} sec" in TEXT
    assert f"{LIMITS['memory']} MiB" in TEXT


def test_the_load_that_was_measured():
    """200 clients, a minute: nothing wrong, no 5xx, memory within its bound."""
    assert (FOUND["clients"], FOUND["duration"]) == (200, 60)
    parts = FOUND, FOUND["killed"], FOUND["terminated"]
    assert all(not x["wrong"] and not x["server_errors"] for x in parts)
    assert {*FOUND["by_status"]} <= {"200", "429"} and not FOUND["broken"]
    assert FOUND["memory"]["peak"] <= FOUND["memory"]["bound"]
    assert (
        FOUND["memory"]["at_start"] + LIMITS["memory"] * MIB < FOUND["memory"]["bound"]
    )
    assert FOUND["killed"]["exit_status"] == -9 and FOUND["right_after_restart"]
    assert FOUND["terminated"]["exit_status"] == 0
    assert FOUND["limits"] | {"threads": 0} == LIMITS | {"threads": 0}
    assert f"load average was {FOUND['load_average']['before'][0]:.0f}" in TEXT
    assert FILE.name in TEXT
