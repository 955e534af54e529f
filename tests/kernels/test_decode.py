"""The decoding kernel without a GPU: interpreted, and compiled for five cards."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from . import _child
from ._decode import DRAWS

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)
SHARED = {80: 163, 89: 99, 90: 227, 100: 227, 120: 99}  # KiB that a program may have
SPILLS = 64  # stores, as of other rungs
PLAIN, EVERY = {}, {"window": [100, 0], "softcap": 30.0, "sinks": 8, "table": True}
JOBS = [  # architecture, d, d_v, new tokens
    *((arch, 128, 128, 1) for arch in SHARED),
    *((arch, 64, 64, 8) for arch in SHARED),
    (80, 256, 256, 1),
    (89, 256, 256, 1),
    (90, 192, 128, 40),
    (100, 192, 128, 1),
]


@pytest.fixture(scope="module")
def said(request):
    return _child.said(request, "_interpreted_decode", "label")


@pytest.mark.few(2)
@pytest.mark.parametrize("label", ["ledger", "many rows", *map(str, range(DRAWS))])
def test_in_the_interpreter(said, label):
    assert said[label] == "ok"


@pytest.fixture(scope="module")
def compiled(request):
    """What _compile.py found for the jobs that tests ask for, plain and with all."""
    wanted = [x for (x,) in _child.asked(request, "job")] or JOBS
    jobs = [
        {"rung": "decode", "arch": arch, "d": d, "d_v": d_v, "n_q": n_q}
        | {"options": {"splits": splits} | how, "pass": "decode"}
        for arch, d, d_v, n_q in wanted
        for splits, how in ((1, PLAIN), (40, EVERY))
    ]
    child = Path(__file__).with_name("_compile.py")
    done = subprocess.run(
        [sys.executable, child], input=json.dumps(jobs), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = iter(json.loads(done.stdout))
    return {job: [next(found) for _ in range(2)] for job in wanted}


@pytest.mark.full
@pytest.mark.parametrize("job", JOBS, ids=str)
def test_compiles_for_the_cards_it_is_for(compiled, job):
    for kernels, names in zip(compiled[job], (1, 2)):
        assert "error" not in kernels, kernels
        assert len(kernels) == names  # with parts also the merge
        for name, counts in kernels.items():
            assert counts["shared"] <= SHARED[job[0]] * 1024, (name, counts)
            assert counts["spills"] <= SPILLS, (name, counts)
