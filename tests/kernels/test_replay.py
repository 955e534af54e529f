"""Replayed calls launch what the rung's own Python would, and only where they may."""

import sys
from types import SimpleNamespace

import pytest
import torch

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)

import triton
from triton.runtime import driver

from tilewise.kernels import _launch, _replay
from tilewise.kernels._launch import Descriptor, Direct, launch
from tilewise.kernels._replay import Plan, replay

BOTH = {"causal": False, "scale": 1.0}
TILE = 3, 2, 10, [1, 1, 16, 16]


class Kernel:
    """What launch takes for a kernel that is to be compiled."""

    params = ()

    def __getitem__(self, grid):
        return lambda *args, **options: None


KERNELS = Kernel(), Kernel()


@pytest.fixture
def record(monkeypatch):
    """What reaches the launcher, with maps as tuples that begin with the address."""
    calls, utils = [], SimpleNamespace(fill_tma_descriptor=lambda *x: ("map", *x))
    active = SimpleNamespace(
        utils=utils, get_current_device=lambda: 0, get_current_stream=lambda device: 7
    )
    monkeypatch.setattr(driver, "_active", active)

    def direct(maps):
        return Direct(lambda *args: calls.append(args), False, (1, 2), maps)

    compiled = {(KERNELS[0], "a"): direct([TILE, TILE]), (KERNELS[1], "b"): direct([])}
    monkeypatch.setattr(_launch, "COMPILED", compiled)
    monkeypatch.setattr(_replay, "PLANS", {})
    return calls


def rung(q, k, *, dlse=None, scale=1.0, causal=False):
    """Like a rung: results like the input, room of its own, two kernels, views."""
    o, room = torch.empty_like(q), q.new_empty(2, 64, dtype=torch.float32)
    one, two = room.unbind()
    tiles = [Descriptor(x, (*x.stride()[:-1], 1), TILE[3]) for x in (q, o)]
    launch(KERNELS[0], "a", (len(k), 1, 1), *tiles, one, scale, None, causal)
    launch(KERNELS[1], "b", (4, 1, 1), k, two.view(8, 8), o, dlse, k.shape[2])
    return o, room


def named(calls, given, results):
    """The calls with names for addresses: input 0, result 1 + 256 bytes."""
    starts = [(f"input {i}", x) for i, x in enumerate(given)]
    starts += [(f"result {i}", x) for i, x in enumerate(results)]

    def name(x):
        if isinstance(x, tuple | list):
            return [name(y) for y in x]
        at = x.data_ptr() if isinstance(x, torch.Tensor) else x
        for title, y in starts:
            start, size = y.data_ptr(), y.untyped_storage().nbytes()
            if isinstance(at, int) and start <= at < start + size:
                return title, at - start
        return x

    return [name(call) for call in calls]


def inputs(turned=False, n=24):
    q, k = torch.empty(2, 3, 24, 16), torch.empty(2, n, 3, 16)
    return (q.mT.contiguous().mT if turned else q), k.transpose(1, 2)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("with_dlse", [False, True])
def test_the_same_launches_on_other_addresses(record, turned, with_dlse):
    options = {"scale": 0.5, "causal": True}
    seen = []
    for _ in range(5):
        given = inputs(turned)
        if with_dlse:
            options["dlse"] = torch.empty(2, 3, 24)
        results = replay(rung, given, **(BOTH | options))
        extra = [options["dlse"]] if with_dlse else []
        seen.append(named(record, [*given, *extra], results))
        record.clear()
        assert [(x.shape, x.stride(), x.dtype) for x in results] == [
            (given[0].shape, given[0].stride(), torch.float32),
            ((2, 64), (64, 1), torch.float32),
        ]
    assert all(calls == seen[0] for calls in seen) and len(seen[0]) == 2
    (plan,) = _replay.PLANS.values()
    assert isinstance(plan, Plan)


def test_other_kinds_of_calls_are_other_plans(record):
    q, k = inputs()
    shifted = torch.empty(q.numel() + 1)[1:].view(q.shape)
    kinds = [
        ((q, k), {}), ((q, k), {"scale": 2.0}), ((q, k), {"causal": "top-left"}),
        (inputs(True), {}), (inputs(n=32), {}), ((shifted, k), {}),
        ((q.double(), k), {}), ((q, k), {"dlse": torch.empty(2, 3, 24)}),
    ]  # fmt: skip
    for i, (given, options) in enumerate(kinds):
        replay(rung, given, **(BOTH | options))
        assert len(_replay.PLANS) == i + 1


def computes(q, k, **options):
    return rung(q.neg(), k, **options)


def shifts(q, k, **options):
    return rung(q, k[1:], **options)


def returns_a_view(q, k, **options):
    o, room = rung(q, k, **options)
    return o[1:], room


kept = torch.empty(2, 3, 24, 16)


def elsewhere(q, k, **options):
    return rung(kept, k, **options)


def compiles(q, k, **options):
    _launch.COMPILED.pop((KERNELS[1], "b"), None)
    return rung(q, k, **options)


@pytest.mark.parametrize(
    "f",
    [computes, shifts, returns_a_view, elsewhere, compiles],
    ids=lambda f: f.__name__,
)
def test_what_cannot_be_replayed_is_not(record, f):
    for _ in range(4):
        replay(f, inputs(), **BOTH)
    assert list(_replay.PLANS.values()) == [False]


def test_tensors_that_begin_together_are_not_told_apart(record):
    q, _ = inputs()
    for _ in range(4):
        replay(rung, (q, q), **BOTH)
    assert list(_replay.PLANS.values()) == [None]
    given = q, torch.empty_like(q)
    replay(rung, given, **BOTH)
    record.clear()
    results = replay(rung, given, **BOTH)
    (_, second) = named(record, given, results)
    assert ("input 1", 0) in second  # k, and not what q was


def test_a_profiler_sees_triton_launch(record, monkeypatch):
    for _ in range(3):
        replay(rung, inputs(), **BOTH)
    hooks = triton.knobs.runtime.launch_enter_hook
    monkeypatch.setattr(hooks, "calls", [print])
    record.clear()
    replay(rung, inputs(), **BOTH)
    assert record == []


def test_plans_do_not_pile_up(record, monkeypatch):
    monkeypatch.setattr(_replay, "MOST", 3)
    for n in range(20, 30):
        replay(rung, inputs(n=n), **BOTH)
        assert len(_replay.PLANS) <= 3
