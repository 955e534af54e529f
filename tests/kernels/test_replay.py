"""Replayed calls launch what the rung's own Python would, and only where they may."""

import pytest
import torch
import triton

from tests.kernels._replayed import BOTH, KERNELS, inputs, named, record_with, rung
from tilewise.kernels.host import launch as _launch
from tilewise.kernels.host import replay as _replay
from tilewise.kernels.host.launch import launch
from tilewise.kernels.host.replay import Plan, replay


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
