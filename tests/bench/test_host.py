"""The host's time: which calls are timed, and what the rows and their table say."""

import importlib
from functools import partial

import pytest
import torch

from tilewise.bench import host

host_time = importlib.import_module("draw.tables.gpu.host_time")


@pytest.fixture
def measured(monkeypatch):
    """(rows(), (N_q, N_k, address of K) of each call without gradients)."""
    seen = []

    def attention(q, k, v):
        if not torch.is_grad_enabled():
            seen.append((q.shape[2], k.shape[2], k.data_ptr()))
        return q * k.mean() * v.mean()

    for name, value in {"CALLS": 3, "LENGTHS": 2, "REPEATS": 2, "LAYERS": 4}.items():
        monkeypatch.setattr(host, name, value)
    problem = partial(host.collect.problem, device="cpu")
    monkeypatch.setattr(host.collect, "problem", problem)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(host, "HOSTED", {"flash_attention": lambda x: attention})
    ticks = iter(range(10**6))
    return host.rows(now=lambda: next(ticks)), seen


def test_lengths_are_new_each_time(measured):
    rows, seen = measured
    calls, rounds, layers = 3, 4, 4
    same, seen = seen[: calls * rounds], seen[calls * rounds :]
    assert {x[:2] for x in same} == {(256, 256)} and len({x[2] for x in same}) == calls
    calls = 2
    once, often = seen[: calls * rounds], seen[calls * rounds :]
    lengths = [*range(256, 256 + calls * rounds)]
    assert [x[:2] for x in once] == [(1, n) for n in lengths]
    lengths = [*range(lengths[-1] + 1, 256 + 2 * calls * rounds)]
    assert [x[:2] for x in often] == [(1, n) for n in lengths for _ in range(layers)]
    assert len({x[2] for x in often}) == layers  # each with a K of its own


def test_rows_say_what_was_timed(measured):
    rows, _ = measured
    assert len(rows) == 7 and not any("varied" in row for row in rows)
    kinds = [(r["pass"], r["grad"], r["lengths"], r["layers"]) for r in rows]
    assert kinds[-2:] == [("forward", False, "new", n) for n in (1, 4)]
    assert kinds[:2] == [("forward", grad, "same", 1) for grad in (False, True)]
    assert kinds[2:5] == [("backward", True, "same", n) for n in (1, 4, 1)]
    assert [row["engine"] for row in rows[2:5]] == [True, True, False]
    for row in rows:  # a tick a step, of one call or four
        assert row["microseconds"] == 1e6 / row["layers"]


def test_a_backward_pass_with_the_engine_and_without(monkeypatch):
    """Layers follow each other, each with its own K and V; the node is called here."""
    seen, problem = [], partial(host.collect.problem, device="cpu")
    monkeypatch.setattr(host.collect, "problem", problem)

    class Seen(torch.autograd.Function):
        @staticmethod
        def forward(ctx, q, k, v):
            ctx.save_for_backward(q, k, v)
            return q + k + v

        @staticmethod
        def backward(ctx, do):
            seen.append((do, *ctx.saved_tensors, torch.is_grad_enabled()))
            return do, do, do

    monkeypatch.setattr(host, "HOSTED", {"seen": lambda x: Seen.apply})
    for _ in range(2):  # the graph is kept
        grads = (run := host.backward("seen", 3, True))()
        grads = run()
        assert len(grads) == 7 and len(seen) == 6
        _, *third, _ = seen[0]
        _, *second, _ = seen[1]
        assert torch.equal(third[0], sum(second))  # q is what the layer below made
        assert len({x.data_ptr() for _, *qkv, _ in seen[:3] for x in qkv}) == 9
        seen.clear()
    monkeypatch.setattr(torch.autograd, "grad", None)
    run = host.backward("seen", 1, False)
    assert len(run()) == len(run()) == 3
    assert [x[-1] for x in seen] == [False] * 2


def test_the_floor_is_an_empty_function():
    q, k, v = (torch.randn(1, 2, 5, 8, requires_grad=True) for _ in range(3))
    o = host.HOSTED["empty"]({})(q, k, v)
    assert torch.equal(o, q) and o.data_ptr() == q.data_ptr()
    grads = torch.autograd.grad(o, (q, k, v), o)
    assert all(x.data_ptr() == y.data_ptr() for x, y in zip(grads, (q, k, v)))


def test_the_table_names_old_and_new_rows_apart(measured, monkeypatch):
    rows, _ = measured
    monkeypatch.setattr(host_time, "bench", lambda: {"host": rows})
    made = host_time.draw("en")
    assert len(made.splitlines()) == 2 + 7 and "in turn" not in made
    assert "| forward, a new length every 8 layers | 250,000 |" in made
    times = [row["microseconds"] for row in rows if row["pass"] == "backward"]
    lines = [x for x in made.splitlines() if x.startswith("| backward")]
    assert [float(x.split("|")[2].replace(",", "")) for x in lines] == times
    assert len(set(lines)) == 3
    rows += [row | {"kernel": "empty"} for row in rows]
    assert host_time.draw("en").splitlines()[2].count("1,000,000") == 2
    row = {"kernel": "sdpa", "pass": "forward", "grad": False, "microseconds": 7.0}
    old = [row | {"varied": varied} for varied in (False, True)]
    monkeypatch.setattr(host_time, "bench", lambda: {"host": old})
    made = host_time.draw("en").splitlines()[2:]
    assert made == ["| forward | – | 7 |", "| forward, 50 lengths in turn | – | 7 |"]
