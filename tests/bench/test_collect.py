"""`bench` without a GPU: what is counted, checked and refused."""

import json
import math

import pytest
import torch

from tilewise.bench import cells, collect, oracle

SHAPE = cells.cell(96, 16, True, batch=2, heads=4)


def test_the_cells_are_those_of_the_papers():
    found = cells.cells()
    assert len(found) == 20
    for x in found:
        assert x["batch"] * x["n"] == 16384 and x["heads"] * x["d"] == 2048
        assert x["n_k"] == x["n"] and x["heads_k"] == x["heads"]
    assert len({tuple(cells.named(x).items()) for x in found}) == 20


def test_flops_follow_the_convention():
    x = cells.cell(1024, 64)  # 16 · 32 heads, two products of 2 · 1024² · 64
    assert cells.flops(x, "forward") == 16 * 32 * 2 * 2 * 1024**2 * 64
    assert cells.flops(x, "backward") == 16 * 32 * 5 * 2 * 1024**2 * 64
    for way in cells.PASSES:
        causal = cells.flops(cells.cell(1024, 64, True), way)
        assert 2 * causal == cells.flops(x, way)


def test_odd_shapes_cost_at_most_what_they_are_compared_with():
    seen = set()
    for what, shape, after in cells.odd():
        assert cells.flops(shape, "forward") <= cells.flops(after, "forward")
        assert after["n"] % 128 == after["n_k"] % 128 == 0 and after["d"] == 128
        assert shape["batch"] == after["batch"] and shape["causal"] == after["causal"]
        seen.add((what, shape["causal"]))
    assert len(seen) == len(list(cells.odd()))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("n", "n_k", "heads_k"), [(70, 70, 4), (33, 90, 2), (90, 40, 1)]
)
def test_the_truth_is_attention(n, n_k, heads_k, causal, monkeypatch):
    """Slabs of rows and groups of heads against autograd over all of it."""
    monkeypatch.setattr(oracle, "ROWS", 32)
    shape = cells.cell(n, 8, causal, batch=3, heads=4, n_k=n_k, heads_k=heads_k)
    x = collect.problem(shape, "cpu", torch.float64)
    truth = oracle.exact(x, causal)
    q, k, v = (x[name].requires_grad_() for name in "qkv")
    wide = [t.repeat_interleave(4 // heads_k, 1) for t in (k, v)]
    hidden = torch.ones(n, n_k, dtype=torch.bool).triu(n_k - n + 1)
    s = q @ wide[0].mT * 8**-0.5
    p = torch.softmax(s.masked_fill(hidden, -math.inf) if causal else s, -1)
    o = p.nan_to_num(0) @ wide[1]  # a row that sees no key
    o.backward(x["do"])
    found = {"o": o, "dq": q.grad.nan_to_num(0), "dk": k.grad, "dv": v.grad}
    if causal and n > n_k:  # autograd has NaN there
        found = {name: found[name] for name in ("o",)}
    for name, size in oracle.errors(x, found, truth).items():
        assert size < 1e-12, name


def test_errors_see_what_is_not_finite():
    x = torch.ones(2, 3)
    assert oracle.error(x, x.double()) == 0
    assert oracle.error(x * torch.nan, x) == math.inf
    assert oracle.apart({"o": x[None] * torch.nan}, {"o": x[None]})["o"] == math.inf


def right(x):
    def run():
        p = torch.softmax(x["q"] @ x["k"].mT * 16**-0.5 + mask(x), -1)
        return (p @ x["v"],)

    return run


def mask(x):
    n = x["q"].shape[2]
    return torch.full((n, n), -math.inf).triu(1)


def wrong_everywhere(x):
    return lambda: (right(x)()[0] * 1.1,)


def wrong_between(x):
    """Right in the heads that are checked against float64, wrong in another."""

    def run():
        o = right(x)()[0]
        o[0, 2] *= 1.5
        return (o,)

    return run


def not_written(x):
    return lambda: (
        torch.where(mask(x)[None, None, :, :16] == 0, right(x)()[0], math.nan),
    )


def uncovered(x):
    raise ValueError("d must be 64 or 128, not 16\nand more")


def not_there(x):
    raise ModuleNotFoundError("No module named 'flash_attn'", name="flash_attn")


def broken(x):
    raise RuntimeError("CUDA error: an illegal memory access was encountered")


def too_large(x):
    raise torch.OutOfMemoryError("tried to allocate 17 GiB")


ENTRIES = {
    "right": right,
    "wrong": wrong_everywhere,
    "between": wrong_between,
    "gaps": not_written,
    "uncovered": uncovered,
    "absent": not_there,
    "large": too_large,
    "again": right,
    "gluon_forward": broken,
    "flex": broken,
    "naive": not_there,
}


@pytest.fixture
def collected():
    """Rows of a pass with right and wrong entries, and what was timed."""
    x = collect.problem(SHAPE, "cpu", torch.float32)
    timed, said = [], []

    def timer(name, run, right):
        timed.append(name)
        readings = iter([3.0, 1.0, 2.0] + [2.0] * 99)
        how = {"calls": 1, "graph": False}
        return lambda: {"ms": next(readings), "watts": 600.0}, how

    rows, cell = collect.rows("forward", SHAPE, x, ENTRIES, timer, 0.0, say=said.append)
    return {row["kernel"]: row for row in rows}, cell, timed, said


def test_what_is_wrong_is_refused_and_not_timed(collected):
    rows, cell, timed, said = collected
    assert timed == ["right", "again"]
    for name in ("wrong", "between", "gaps"):
        assert "ms" not in rows[name] and rows[name]["refused"]
        assert any(sentence.startswith(f"{name}, forward, N 96") for sentence in said)
    assert "error of o 1.0e-01" in rows["wrong"]["refused"]
    assert "known to be right" in rows["between"]["refused"]
    assert "error of o inf" in rows["gaps"]["refused"]
    assert rows["gaps"]["error"] == {}  # JSON has no infinity


def test_what_cannot_run_says_why(collected):
    rows, *_ = collected
    assert rows["uncovered"]["missing"] == "d must be 64 or 128, not 16"
    assert rows["absent"]["missing"] == "not installed: flash_attn"
    assert rows["large"]["missing"] == "out of memory"
    assert "illegal memory access" in rows["flex"]["missing"]  # a peer's affair


def test_a_kernel_of_ours_that_breaks_has_failed(collected):
    rows, _, _, said = collected
    assert "illegal memory access" in rows["gluon_forward"]["failed"]
    assert "No module named" in rows["naive"]["failed"]
    assert any(sentence.startswith("gluon_forward, forward, N 96") for sentence in said)


def test_rows_follow_from_what_was_measured(collected):
    rows, cell, *_ = collected
    row = rows["again"]
    assert {**cells.named(SHAPE), "pass": "forward"}.items() <= row.items()
    assert (row["ms"], row["min"], row["max"], row["rounds"]) == (2.0, 1.0, 3.0, 3)
    assert row["tflops"] == cells.flops(SHAPE, "forward") / 2.0 / 1e9
    assert 0 < row["error"]["o"] <= cell["allowed"]["o"] == 2 * cell["plain"]["o"]
    assert cell["watts"] == 600.0
    assert json.loads(json.dumps([rows, cell], allow_nan=False))
