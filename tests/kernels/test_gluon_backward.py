"""The Gluon backward pass without a GPU: what ptxas makes of it, and in which order.

The order is what makes it fast, and it is ptxas that decides: exponentials while dPᵀ is
being computed, dQ stored while dK is, no product waiting for the one before.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)

from tilewise.kernels import gluon_backward

TABLE = {  # d, causal, heads of K and V: most spills, bytes of shared memory, copies
    (64, False, 4): (4, 199184, 2),  # of the loop over tiles, for two consumers
    (64, True, 4): (8, 199184, 4),
    (128, False, 4): (0, 198160, 2),
    (128, True, 4): (0, 198160, 4),
    (128, True, 1): (16, 198160, 4),
}
WAITS = ["wait ≤ 1", "wait ≤ 0", "wait ≤ 2", "wait ≤ 1", "wait ≤ 0"]


@pytest.fixture(scope="module")
def compiled():
    """What _gluon_backward.py found, by the keys of TABLE."""
    child = Path(__file__).with_name("_gluon_backward.py")
    jobs = [dict(zip(("d", "causal", "kv_heads"), key)) for key in TABLE]
    done = subprocess.run([sys.executable, child], input=json.dumps(jobs),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(TABLE, json.loads(done.stdout)))


@pytest.mark.parametrize("key", TABLE, ids=str)
def test_fits_and_takes_the_units_of_hopper(compiled, key):
    found, (spills, shared, copies) = compiled[key]["main_kernel"], TABLE[key]
    assert found["spills"] <= spills and found["registers"] <= 168, found
    assert found["shared"] <= shared <= 227 * 1024, found
    assert found["wgmma"] == 32 * copies and found["mma"] == 0, found
    assert found["tma"] > 0 and found["reductions"] >= 2, found
    for name in ("rows_kernel", "dq_kernel"):
        assert compiled[key][name]["spills"] == 0


@pytest.mark.parametrize("key", TABLE, ids=str)
def test_order_in_the_loops(compiled, key):
    """Five waits, half of exp before the second, dQ stored before the last."""
    d, *_ = key
    found = compiled[key]["loops"]
    assert len(found) == TABLE[key][2]
    for loop in found:
        assert [x for x in loop if x.startswith("wait")] == WAITS, loop
        assert loop.count("product") == 32 and loop.count("exp") == 4096 // d, loop
        at = [i for i, x in enumerate(loop) if x.startswith("wait")]
        beneath = loop[at[0] : at[1]].count("exp")  # while dPᵀ is being computed
        assert 2 * beneath >= loop.count("exp"), loop
        assert loop[at[3] : at[4]].count("store") >= 8, loop  # while dK is


def bad(**changes):
    given = {x: torch.zeros(1, 4, 20, 64).half() for x in ("q", "k", "v", "o", "do")}
    return given | {"lse": torch.zeros(1, 4, 20)} | changes


BAD = {
    "must have 16 bits": bad(q=torch.zeros(1, 4, 20, 64)),
    "d at most 128": bad(q=torch.zeros(1, 4, 20, 136).half()),
    "must be \\(batch, heads, N, d\\)": bad(k=torch.zeros(20, 64).half()),
    "differ in d": bad(k=torch.zeros(1, 4, 20, 72).half()),
    "multiple of 8": bad(
        **{x: torch.zeros(1, 4, 20, 12).half() for x in ("q", "k", "v", "o", "do")}
    ),
    "lse": bad(lse=torch.zeros(1, 4, 21)),
    "causal must be": bad(causal="left"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(message):
    with pytest.raises(ValueError, match=message):
        gluon_backward.backward(**BAD[message])
