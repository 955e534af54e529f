"""The backward rungs without a GPU, in Triton's interpreter, in a child process."""

import pytest

from . import _child
from ._backward import CASES, RUNGS

CHECKS = "bad_input", "default_tiles", "deterministic", "large_scores"
CHECKS += "rows_that_overlap", "rows_without_keys", "strides"
LABELS = [f"{case} {dtype}" for case in CASES for dtype in ("float32", "float16")]


@pytest.fixture(scope="module")
def said(request):
    return _child.said(request, "_interpreted_backward", "name", "label")


@pytest.mark.few(2)
@pytest.mark.parametrize("label", [*LABELS, *CHECKS])
@pytest.mark.parametrize("name", RUNGS)
def test_in_the_interpreter(said, name, label):
    assert said[f"{name} {label}"] == "ok"


@pytest.mark.full
def test_no_check_is_forgotten(said):
    assert len(said) == len(RUNGS) * (len(LABELS) + len(CHECKS))
