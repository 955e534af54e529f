"""The numbers of the page on serving come from a file or a formula."""

import json
import re
import shutil
import subprocess

import pytest
from repository import ROOT

from tilewise.serve.limits import LIMITS, MIB

from ..serve._service import server

PAGES = sorted(ROOT.glob("docs/*/memory/serving.md"))
(FILE,) = ROOT.glob("benchmarks/results/cpu-*-serve.json")
FOUND = json.loads(FILE.read_text("utf-8"))


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


def test_a_megabyte_can_ask_for_a_hundred_times_the_work():
    n = 10**6 // 6  # numbers in half precision, for q, k and v each
    assert n * n * (512 + 2) > 100 * LIMITS["max_work"] * 10**9


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
