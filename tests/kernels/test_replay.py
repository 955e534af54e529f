"""Replayed calls launch what the rung's own Python would, and only where they may."""

import pytest
import torch
import triton

from tests.kernels._replayed import (
    BOTH,
    KERNELS,
    TILE,
    inputs,
    named,
    record_with,
    rung,
)
from tilewise import kernels
from tilewise.attention.dispatch import LIGHT
from tilewise.kernels.host import launch as _launch
from tilewise.kernels.host import replay as _replay
from tilewise.kernels.host.launch import Direct, launch
from tilewise.kernels.host.replay import Plan, replay
from tilewise.kernels.shared import gluon as _gluon


@pytest.fixture
def record(monkeypatch):
    return record_with(monkeypatch)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("with_dlse", [False, True])
def test_the_same_launches_on_other_addresses(record, turned, with_dlse):
    options = {"scale": 0.5, "causal": True}
    seen = []
    for _ in range(7):
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


class Compiled(dict):
    """Takes every kernel for compiled, with calls for its launcher."""

    def get(self, key):
        maps = 9 * [TILE]
        return Direct(lambda *args: self["calls"].append(args), False, (1, 2), maps)


def without_rooms(x):
    """What was launched, with one name for all addresses that have none."""
    if isinstance(x, list):
        return [*map(without_rooms, x)]
    address = isinstance(x, torch.Tensor) or (isinstance(x, int) and x >= 2**32)
    return "room" if address else x


@pytest.mark.parametrize("d", [64, 256])
@pytest.mark.parametrize("name", sorted(LIGHT))
def test_the_rungs_themselves_on_other_addresses(record, monkeypatch, name, d):
    if name == "gluon_backward" and d > 128:
        pytest.skip("it takes d up to 128")
    monkeypatch.setattr(_launch, "COMPILED", Compiled(calls=record))
    monkeypatch.setattr(_gluon, "available", lambda device: True)
    backward, seen = "backward" in name, []
    for _ in range(7):
        given = [torch.zeros(1, 4, 300, d, dtype=torch.bfloat16) for _ in range(5)]
        given = [*given, torch.zeros(1, 4, 300)] if backward else given[:3]
        way = getattr(getattr(kernels, name), "backward" if backward else "forward")
        results = replay(way, given, **(BOTH | {"causal": True}))
        seen.append(without_rooms(named(record, given, results)))
        record.clear()
    assert seen[0] and all(calls == seen[0] for calls in seen)
    (plan,) = _replay.PLANS.values()
    assert isinstance(plan, Plan)


def test_other_kinds_of_calls_are_other_plans(record):
    q, k = inputs()
    shifted = torch.empty(q.numel() + 1)[1:].view(q.shape)
    kinds = [
        ((q, k), {}),
        ((q, k), {"scale": 2.0}),
        ((q, k), {"causal": "top-left"}),
        (inputs(True), {}),
        (inputs(n=32), {}),
        ((shifted, k), {}),
        ((q.double(), k), {}),
        ((q, k), {"dlse": torch.empty(2, 3, 24)}),
    ]
    for i, (given, options) in enumerate(kinds):
        replay(rung, given, **(BOTH | options))
        assert len(_replay.SEEN) == i + 1


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


def launches_nothing(q, k, **options):
    return torch.empty_like(q), torch.empty_like(k)


def leaves_gaps(q, k, **options):
    """Its result's rows lie 32 numbers apart: empty_like's lie 16 apart."""
    o = torch.empty_strided((24, 16), (32, 1))
    launch(KERNELS[1], "b", (4, 1, 1), q, k, o)
    return (o,)


def returns_one_twice(q, k, **options):
    o, _ = rung(q, k, **options)
    return o, o


@pytest.mark.parametrize(
    "f",
    [
        computes,
        shifts,
        returns_a_view,
        elsewhere,
        compiles,
        launches_nothing,
        leaves_gaps,
        returns_one_twice,
    ],
    ids=lambda f: f.__name__,
)
def test_what_cannot_be_replayed_is_not(record, f):
    for _ in range(6):
        replay(f, inputs(), **BOTH)
    assert list(_replay.PLANS.values()) == [False]


def test_tensors_that_begin_together_are_not_told_apart(record):
    q, _ = inputs()
    for _ in range(6):
        replay(rung, (q, q), **BOTH)
    assert not _replay.PLANS
    given = q, torch.empty_like(q)
    replay(rung, given, **BOTH)
    record.clear()
    results = replay(rung, given, **BOTH)
    (_, second) = named(record, given, results)
    assert ("input 1", 0) in second  # k, and not what q was


def test_a_profiler_sees_triton_launch(record, monkeypatch):
    for _ in range(5):
        replay(rung, inputs(), **BOTH)
    hooks = triton.knobs.runtime.launch_enter_hook
    monkeypatch.setattr(hooks, "calls", [print])
    record.clear()
    replay(rung, inputs(), **BOTH)
    assert record == []


def test_a_profiler_leaves_nothing_behind(record, monkeypatch):
    hooks = triton.knobs.runtime.launch_enter_hook
    with monkeypatch.context() as profiled:
        profiled.setattr(hooks, "calls", [print])
        for _ in range(6):
            replay(rung, inputs(), **BOTH)
        assert not _replay.PLANS
    replay(rung, inputs(), **BOTH)
    (plan,) = _replay.PLANS.values()
    assert isinstance(plan, Plan)
