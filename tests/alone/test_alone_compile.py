"""What the stand-alone files launch compiles for the cards that they claim."""

import json
import subprocess
import sys

import pytest
from generate import lacks_library
from repository import ROOT

from ..kernels._child import asked

if lacks_library("import triton"):
    pytest.skip("Triton is for Linux", allow_module_level=True)

KIB = {80: 163, 89: 99, 90: 227, 100: 227, 120: 99}  # that a program may have
SPILLS = 64  # stores, as of the rungs
MORE = {  # a kernel on a card where the package's has more itself: 118 and 80
    ("keys_kernel", 90): 176,  # with every option at d = 128
    ("causal_rows", 120): 80,
}
KERNELS = {
    "flash_attention_triton": "causal_rows dkdv_kernel dq_kernel",
    "flash_attention_options_triton": "keys_kernel queries_kernel rows_kernel",
}
EVERY = {"window": [200, 0], "softcap": 30.0, "alibi_slopes": 4, "sinks": 4}
UNITS = 80, 90, 100  # have tensor cores of their own; 89 and 120 those of 80
JOBS = [  # what takes most of a program's memory for every card, the rest for each kind
    *(("flash_attention_triton", arch, 128, {}) for arch in KIB),
    *(("flash_attention_triton", arch, 64, {}) for arch in UNITS),
    *(("flash_attention_options_triton", arch, 128, EVERY) for arch in KIB),
    *(("flash_attention_options_triton", arch, 128, {}) for arch in UNITS),
    ("flash_attention_options_triton", 90, 64, {"dropout_p": 0.1}),
]


def title(job):
    return f"{job[0]} sm_{job[1]} d={job[2]} {' '.join(job[3])}"


@pytest.fixture(scope="module")
def compiled(request):
    """{title of a job: its kernels}, from one process for those that tests ask for."""
    jobs = [job for (job,) in asked(request, "job")] or JOBS
    given = [[name, arch, d, d, how] for name, arch, d, how in jobs]
    command = [sys.executable, "-m", "tests.alone._compiled"]
    done = subprocess.run(
        command, input=json.dumps(given), cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(map(title, jobs), json.loads(done.stdout)))


@pytest.mark.full
@pytest.mark.parametrize("job", JOBS, ids=title)
def test_it_compiles(compiled, job):
    name, arch, d, how = job
    found = compiled[title(job)]
    assert {*found} == {"delta_kernel", *KERNELS[name].split()}, found
    for kernel, counts in found.items():
        assert counts["shared"] <= KIB[arch] * 1024, (kernel, counts)
        assert counts["spills"] <= MORE.get((kernel, arch), SPILLS), (kernel, counts)
