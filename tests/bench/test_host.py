"""The host's time: which calls are timed, and what the rows and their table say."""

import importlib
import sys
from functools import partial
from pathlib import Path

import pytest
import torch

from tilewise.bench import extras

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
host_time = importlib.import_module("tables.host_time")


@pytest.fixture
def measured(monkeypatch):
    """(rows of host(), (N_q, N_k, address of K) of each call without gradients)."""
    seen = []

    def attention(q, k, v):
        if not torch.is_grad_enabled():
            seen.append((q.shape[2], k.shape[2], k.data_ptr()))
        return q * k.mean() * v.mean()

    for name, value in {"CALLS": 3, "REPEATS": 2, "LAYERS": 4}.items():
        monkeypatch.setattr(extras, name, value)
    problem = partial(extras.collect.problem, device="cpu")
    monkeypatch.setattr(extras.collect, "problem", problem)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(extras, "HOSTED", {"flash_attention": lambda x: attention})
    ticks = iter(range(10**6))
    return extras.host(now=lambda: next(ticks)), seen


def test_lengths_are_new_each_time(measured):
    rows, seen = measured
    calls, rounds, layers = 3, 4, 4
    same, seen = seen[: calls * rounds], seen[calls * rounds :]
    assert {x[:2] for x in same} == {(256, 256)} and len({x[2] for x in same}) == calls
    once, often = seen[: calls * rounds], seen[calls * rounds :]
    lengths = [*range(256, 256 + calls * rounds)]
    assert [x[:2] for x in once] == [(1, n) for n in lengths]
    assert [x[:2] for x in often] == [(1, n) for n in lengths for _ in range(layers)]
    assert len({x[2] for x in often}) == layers  # each with a K of its own


def test_rows_say_what_was_timed(measured):
    rows, _ = measured
    assert len(rows) == 5 and not any("varied" in row for row in rows)
    kinds = [(r["pass"], r["grad"], r["lengths"], r["layers"]) for r in rows]
    assert kinds[-2:] == [("forward", False, "new", n) for n in (1, 4)]
    assert all(kind[2:] == ("same", 1) for kind in kinds[:3])
    *one, shared = [row["microseconds"] for row in rows]
    assert set(one) == {1e6} and shared == 1e6 / 4  # a tick a step, of four calls


def test_the_table_names_old_and_new_rows_apart(measured, monkeypatch):
    rows, _ = measured
    monkeypatch.setattr(host_time, "bench", lambda: {"host": rows})
    made = host_time.draw("en")
    assert len(made.splitlines()) == 2 + 5 and "in turn" not in made
    assert "| forward, a new length every 8 layers | 250000 |" in made
    row = {"kernel": "sdpa", "pass": "forward", "grad": False, "microseconds": 7.0}
    old = [row | {"varied": varied} for varied in (False, True)]
    monkeypatch.setattr(host_time, "bench", lambda: {"host": old})
    made = host_time.draw("en").splitlines()[2:]
    assert made == ["| forward | – | 7 |", "| forward, 50 lengths in turn | – | 7 |"]
