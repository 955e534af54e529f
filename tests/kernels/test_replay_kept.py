"""What the replay keeps is bounded, and where it is not wanted there is none."""

import subprocess
import sys

import pytest
import torch

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)

from tests.kernels._replayed import BOTH, inputs, named, record_with, rung
from tilewise.kernels import _replay
from tilewise.kernels._replay import Plan, replay


@pytest.fixture
def record(monkeypatch):
    return record_with(monkeypatch)


def test_plans_do_not_pile_up(record, monkeypatch):
    monkeypatch.setattr(_replay, "MOST", 3)
    for n in range(20, 30):
        for _ in range(5):
            replay(rung, inputs(n=n), **BOTH)
        assert len(_replay.PLANS) <= 3
    assert [key[-1][0][2] for key in _replay.PLANS] == [27, 28, 29]


def test_what_comes_once_costs_no_plan(record, monkeypatch):
    monkeypatch.setattr(_replay, "MOST", 5)
    for _ in range(5):
        replay(rung, inputs(), **BOTH)
    (plan,) = _replay.PLANS.values()
    for n in range(30, 60):
        replay(rung, inputs(n=n), **BOTH)
        assert len(_replay.SEEN) <= 5
    assert list(_replay.PLANS.values()) == [plan]


def test_maps_do_not_pile_up(record):
    """A plan keeps a few maps of each of its descriptors, and they stay right."""
    q, k = inputs()
    room = torch.empty(100 * 16 + q.numel())
    for i in range(100):
        record.clear()
        given = room[16 * i :][: q.numel()].view(q.shape), k
        results = replay(rung, given, **BOTH)
        assert record[0][6][1] == given[0].data_ptr(), i
        assert len(results) == 2
    (plan,) = _replay.PLANS.values()
    kept = [len(maps) for *_, gaps in plan.launches for *_, maps in gaps if maps]
    assert kept and max(kept) <= _replay.MAPS


@pytest.mark.parametrize("first", [True, False])
def test_a_plan_serves_inference_mode_and_training(record, first):
    seen = []
    for i in range(10):
        with torch.inference_mode(first if i < 5 else not first):
            given = inputs()
            results = replay(rung, given, **BOTH)
            seen.append(named(record, given, results))
            assert [x.is_inference() for x in results] == [
                torch.is_inference_mode_enabled()
            ] * 2
            record.clear()
    assert all(calls == seen[0] for calls in seen)
    (plan,) = _replay.PLANS.values()
    assert isinstance(plan, Plan)


def test_watching_does_not_import_dynamo():
    """Its import takes a second, which would fall into some call of the user's."""
    code = """
import sys, torch
from tilewise.kernels import _replay
def rung(q, causal, scale): return [torch.empty_like(q)]
x = torch.empty(2, 3, 8, 16)
for _ in range(6): _replay.replay(rung, [x], False, None)
assert len(_replay.PLANS) == 1
sys.exit("torch._dynamo" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


UNKNOWN = """
from types import SimpleNamespace
import torch, triton
triton.__version__ = "3.8.0"
del type(triton.knobs.runtime).launch_enter_hook  # as if renamed
torch.cuda.get_device_capability = lambda device: (9, 0)
from tilewise import dispatch
from tilewise.kernels import _launch, _replay
assert dispatch.card(torch.device("cuda", 0)) == ((9, 0), False)
calls, made = [], triton.compiler.CompiledKernel
class Kernel:
    def __getitem__(self, grid):
        def run(*args):
            calls.append([type(x).__name__ for x in args])
            return made.__new__(made)
        return run
def rung(q, causal, scale):
    tile = _launch.Descriptor(q, q.stride(), (1, 1, 8, 16))
    _launch.launch(kernel, 0, (1, 1, 1), tile, 5)
    return [torch.empty_like(q)]
kernel, x = Kernel(), torch.empty(2, 3, 8, 16)
for _ in range(6):
    _replay.replay(rung, [x], False, None)
assert calls == [["TensorDescriptor", "int"]] * 6, calls
assert not (_launch.COMPILED or _replay.SEEN or _replay.PLANS)
"""


def test_another_triton_launches_by_itself():
    """Nothing of its inside is read, and the kernels in Gluon are left alone."""
    done = subprocess.run([sys.executable, "-c", UNKNOWN], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
