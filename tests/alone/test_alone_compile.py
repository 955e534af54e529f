"""What the stand-alone files launch compiles for the cards that they claim."""

import json
import subprocess
import sys

import pytest
from generate import lacks_library
from repository import ROOT

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
JOBS = [
    *(("flash_attention_triton", arch, d, {}) for arch in KIB for d in (64, 128)),
    *(("flash_attention_options_triton", arch, 128, how)
      for arch in KIB for how in ({}, EVERY)),
    ("flash_attention_options_triton", 90, 64, {"dropout_p": 0.1}),
]  # fmt: skip


def title(job):
    return f"{job[0]} sm_{job[1]} d={job[2]} {' '.join(job[3])}"


@pytest.mark.full
@pytest.mark.parametrize("job", JOBS, ids=title)
def test_it_compiles(job):
    name, arch, d, how = job
    done = subprocess.run(
        [sys.executable, "-m", "tests.alone._compiled"],
        input=json.dumps([[name, arch, d, d, how]]),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert {*found} == {"delta_kernel", *KERNELS[name].split()}, found
    for kernel, counts in found.items():
        assert counts["shared"] <= KIB[arch] * 1024, (kernel, counts)
        assert counts["spills"] <= MORE.get((kernel, arch), SPILLS), (kernel, counts)
