"""The public functions over kernels, without a GPU: in Triton's interpreter."""

import re
from pathlib import Path

import pytest

from . import _child

FILE = Path(__file__).with_name("_interpreted_ops.py")
CHECKS = re.findall(r"^def check_(\w+)", FILE.read_text("utf-8"), re.M)


@pytest.fixture(scope="module")
def said(request):
    return _child.said(request, "_interpreted_ops", "check")


@pytest.mark.few(2)
@pytest.mark.parametrize("check", CHECKS)
def test_in_the_interpreter(said, check):
    assert said[check] == "ok"
