"""What the replay keeps is bounded, and where it is not wanted there is none."""

import subprocess
import sys
import weakref

import pytest
import torch

from tests.kernels._replayed import BOTH, KERNELS, inputs, named, record_with, rung
from tilewise.kernels.host import replay as _replay
from tilewise.kernels.host.launch import launch
from tilewise.kernels.host.replay import Plan, replay


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


def test_watching_needs_no_more_memory_than_the_call(record, monkeypatch):
    """What the rung used is gone before the plan allocates, one tensor at a time."""
    alive, hollow = weakref.WeakSet(), _replay.hollow

    def watched(q, k, **options):
        o, room = rung(q, k, **options)
        launch(KERNELS[1], "b", (1, 1, 1), more := q.new_empty(1000), o)
        alive.add(more)
        return o, room

    def look(x):
        record.clear()  # holds what it was given
        sizes.append((len(alive), x.untyped_storage().nbytes()))
        return hollow(x)

    sizes = []
    monkeypatch.setattr(_replay, "hollow", look)
    for _ in range(4):
        replay(watched, inputs(), **BOTH)
    assert sizes == [(0, 4 * 2 * 3 * 24 * 16), (0, 4 * 2 * 64), (0, 4096)]
    (plan,) = _replay.PLANS.values()
    assert all(x.untyped_storage().nbytes() == 0 for x in plan.rooms)


def test_launches_do_not_pile_up(record, monkeypatch):
    """What is kept by address is bounded, and stays right."""
    monkeypatch.setattr(_replay, "MAPS", 10)
    q, k = inputs()
    room = torch.empty(100 * 16 + q.numel())
    for i in range(100):
        record.clear()
        given = room[16 * i :][: q.numel()].view(q.shape), k
        results = replay(rung, given, **BOTH)
        assert record[0][6][1] == given[0].data_ptr(), i
        assert len(results) == 2 and len(_replay.READY) <= 10
    assert _replay.READY


def test_the_same_addresses_need_no_new_maps(record, monkeypatch):
    """Allocators hand out the same ones again: here always, for one room at a time."""
    given, filled, fill, real = inputs(), [], Plan.fill, torch.empty_like
    for _ in range(4):
        replay(rung, given, **BOTH)
    monkeypatch.setattr(Plan, "fill", lambda *x: filled.append(x[1]) or fill(*x))
    rooms = {}

    def empty_like(x):
        return rooms.get(id(x)) if id(x) in rooms else rooms.setdefault(id(x), real(x))

    monkeypatch.setattr(torch, "empty_like", empty_like)
    record.clear()
    seen, kept = [], []
    for i in range(6):
        if i == 3:
            rooms.clear()  # now other ones
        results = replay(rung, given, **BOTH)
        seen.append(named(record, given, results))
        kept.append(results)
        record.clear()
    assert len(filled) == 2 and kept[2][0] is not results[0]
    assert all(calls == seen[0] for calls in seen)


def works(q, k, **options):
    """Two rooms that are no results, of sizes that are no multiples of 256 bytes."""
    o, one, two = torch.empty_like(q), q.new_empty(3, 5), q.new_empty(7)
    launch(KERNELS[1], "b", (4, 1, 1), q, k, one, two[2:], o)
    return (o,)


def test_rooms_that_are_no_results_share_one(record):
    for _ in range(4):
        replay(works, inputs(), **BOTH)
    (plan,) = _replay.PLANS.values()
    assert len(plan.rooms) == 2 and plan.rooms[0].shape == (2, 3, 24, 16)
    assert all(x.untyped_storage().nbytes() == 0 for x in plan.rooms)  # no memory
    assert plan.rooms[1].nbytes == 2 * 256
    record.clear()
    (o,) = replay(works, inputs(), **BOTH)
    *_, one, two, at = record[0]
    assert two - one == 256 + 8 and at == o.data_ptr()


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


@pytest.mark.full
def test_watching_does_not_import_dynamo():
    """Its import takes a second, which would fall into some call of the user's."""
    code = """
import sys, torch
from tilewise.kernels.host import replay as _replay
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
from tilewise.attention import dispatch
from tilewise.kernels.host import launch as _launch
from tilewise.kernels.host import replay as _replay
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


@pytest.mark.full
def test_another_triton_launches_by_itself():
    """Nothing of its inside is read, and the kernels in Gluon are left alone."""
    done = subprocess.run([sys.executable, "-c", UNKNOWN], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
