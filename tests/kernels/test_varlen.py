"""The kernels for packed documents without a GPU, in Triton's interpreter."""

import re
from pathlib import Path

import pytest

from . import _child

TEXT = Path(__file__).with_name("_interpreted_varlen.py").read_text("utf-8")
CASES = re.findall(r'^    "([\w -]+)": \(\[', TEXT, re.M)
CHECKS = [x for x in re.findall(r"^def check_(\w+)", TEXT, re.M) if x != "case"]


@pytest.fixture(scope="module")
def said(request):
    return _child.said(request, "_interpreted_varlen", "label")


@pytest.mark.few(2)
@pytest.mark.parametrize("label", [*CASES, *CHECKS])
def test_in_the_interpreter(said, label):
    assert said[label] == "ok"


@pytest.mark.full
def test_no_check_is_forgotten(said):
    assert len(said) == len(CASES) + len(CHECKS) >= 15
