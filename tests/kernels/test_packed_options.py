"""Packed documents with windows, score rules, sinks and dropout, without a GPU."""

import pytest

from tilewise.kernels.shared.common_backward import ELSEWHERE

from . import _child
from ._packed_options import DRAWS, OPTIONS
from .test_options import EVERY, JOBS, SHARED

LABELS = [*map(str, range(len(OPTIONS) + DRAWS)), "bad input", "public function"]
LABELS += ["no leak", "same bits"]
SPILLS = 128  # stores, where every option is asked for at once
DROPOUT = {"dropout_p": 0.1, "seed": 5}
RUNGS = "varlen_scores", "varlen_scores_backward"
PRODUCTS = {"varlen_score_rows", "dkdv_kernel", "dq_kernel"}
UNIT = {80: "mma", 89: "mma", 90: "wgmma", 100: "tcgen05", 120: "mma"}


@pytest.fixture(scope="module")
def said(request):
    return _child.said(request, "_interpreted_packed", "label")


@pytest.mark.few(2)
@pytest.mark.parametrize("label", LABELS)
def test_in_the_interpreter(said, label):
    assert said[label] == "ok"


def both(arch, d, d_v):
    """What _compile.py is asked: all options at once; beside Hopper in other tiles."""
    for rung in RUNGS:
        job = {"rung": rung, "arch": arch, "d": d, "d_v": d_v, "causal": True}
        job |= {"pass": "backward" if "back" in rung else "forward"}
        options = EVERY | DROPOUT
        if arch != 90 and job["pass"] == "backward":
            options |= dict(zip(("dkdv_tile", "dq_tile"), ELSEWHERE[max(d, d_v)]))
        yield job | {"options": options}


@pytest.fixture(scope="module")
def compiled(request):
    """What _compile.py found for the jobs that the tests ask for."""
    wanted = [x for (x,) in _child.asked(request, "job")] or JOBS
    found = iter(_child.told("_compile.py", [x for job in wanted for x in both(*job)]))
    return {job: [next(found) for _ in RUNGS] for job in wanted}


@pytest.mark.full
@pytest.mark.parametrize("job", JOBS, ids=str)
def test_compiles_for_the_cards_it_is_for(compiled, job):
    for kernels in compiled[job]:
        assert "error" not in kernels, kernels
        assert PRODUCTS & {*kernels}
        for name, counts in kernels.items():
            assert counts["shared"] <= SHARED[job[0]] * 1024, (name, counts)
            assert counts["spills"] <= SPILLS, (name, counts)
            assert (counts[UNIT[job[0]]] > 0) == (name in PRODUCTS), (name, counts)
