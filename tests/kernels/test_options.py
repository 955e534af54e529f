"""Kernels with windows, blocks, score rules, sinks and dropout, without a GPU."""

import pytest

from . import _child
from ._options import ALONE, DRAWS

SHARED = {80: 163, 89: 99, 90: 227, 100: 227, 120: 99}  # KiB that a program may have
SPILLS = 64  # stores, as of other rungs
LABELS = [*map(str, range(len(ALONE) + DRAWS)), "bad input", "every end"]
LABELS += ["hidden tiles", "kept lists", "vmap"]
EVERY = {"window": [200, 0], "softcap": 30.0, "alibi_slopes": 4, "sinks": 4}
UNITS = 80, 90, 100  # have tensor cores of their own; 89 and 120 those of 80
JOBS = [  # architecture, d, d_v
    (80, 128, 128),
    (89, 128, 128),
    (90, 192, 128),
    (100, 128, 128),
    (120, 64, 64),
]


def rungs(arch):
    """(rung, options): lists for every card, the rest for one of each kind."""
    yield "windows", {"window": [200, 0]}
    for rung in ("scores", "scores_backward"):
        yield rung, EVERY | {"block_mask": True}
        if arch in UNITS:
            yield rung, EVERY


@pytest.fixture(scope="module")
def said(request):
    return _child.said(request, "_interpreted_options", "label")


@pytest.mark.few(2)
@pytest.mark.parametrize("label", LABELS)
def test_in_the_interpreter(said, label):
    assert said[label] == "ok"


@pytest.fixture(scope="module")
def compiled(request):
    """What _compile.py found for the jobs that the tests ask for."""
    wanted = [x for (x,) in _child.asked(request, "job")] or JOBS
    jobs = [
        {"rung": rung, "arch": arch, "d": d, "d_v": d_v, "causal": True}
        | {"options": how, "pass": "backward" if "back" in rung else "forward"}
        for arch, d, d_v in wanted
        for rung, how in rungs(arch)
    ]
    found = iter(_child.told("_compile.py", jobs))
    return {job: [next(found) for _ in rungs(job[0])] for job in wanted}


@pytest.mark.few(1)
@pytest.mark.parametrize("job", JOBS, ids=str)
def test_compiles_for_the_cards_it_is_for(compiled, job):
    for kernels in compiled[job]:
        assert "error" not in kernels, kernels
        for name, counts in kernels.items():
            assert counts["shared"] <= SHARED[job[0]] * 1024, (name, counts)
            assert counts["spills"] <= SPILLS, (name, counts)
