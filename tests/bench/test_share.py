"""`bench --share`: its cells, the strict reader of its file, a run without a GPU."""

import contextlib
import itertools
import json

import pytest
import torch

from tests.bench._made import made, signed
from tilewise.bench import cells, collect, run, share, share_file, sharing
from tilewise.bench.cells import PUBLIC


def put(data, path, value):
    """data with a value changed or, if it is None here, taken away."""
    data = json.loads(json.dumps(data))
    *above, last = path
    inner = data
    for key in above:
        inner = inner[key]
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return data


GONE = object()
ROW, THIRD = (("cells", 0, "rows", n) for n in (0, 2))


def test_the_cells_are_some_of_the_setting():
    whole = [cells.named(x) for x in cells.cells()]
    found = share.expected()
    assert len(found) == 16
    for shape in found:
        assert {k: v for k, v in shape.items() if k != "pass"} in whole
    for way, names in share.KERNELS.items():
        order = cells.names(way)
        assert sorted(names, key=order.index) == [*names]
        assert names[3:-1] == cells.RUNGS[way][-3:]


def test_what_is_written_is_read():
    data = made()
    assert share_file.read(json.dumps(data)) == data
    found = data["ratios"]["forward"]
    told = dict.fromkeys(("mean", "least", "most"), 1.25)
    assert found["flash"] == pytest.approx(told | {"cells": 8})
    assert found["efficient"] is None
    assert data["ratios"]["backward"]["cudnn"]["cells"] == 7  # one is left out


@pytest.mark.parametrize(
    ("path", "value", "code", "where"),
    [
        (("host",), "mine", "fields", "host"),
        (("machine", "user"), "me", "fields", "machine.user"),
        (("machine", "driver"), GONE, "fields", "machine.driver"),
        (("machine", "gpu"), "H100 in /home/me", "value", "machine.gpu"),
        (("machine", "sms"), True, "value", "machine.sms"),
        (("machine", "cudnn"), "9", "value", "machine.cudnn"),
        (("commit",), "main", "value", "commit"),
        (("date",), "2026-11-28\n", "value", "date"),
        (("date",), "٢٠٢٦-11-28", "value", "date"),
        (("command",), "python -m tilewise bench", "value", "command"),
        (("form",), 2, "value", "form"),
        (("cells",), {}, "value", "cells"),
        (("cells",), [], "fields", "cells"),
        (("cells", 0), None, "value", "cells[0]"),
        (("cells", 0, "n"), 2048, "value", "cells[0]"),
        (("cells", 0, "why"), "x", "fields", "cells[0].why"),
        (("cells", 15, "left_out"), "no time", "value", "cells[15].left_out"),
        (("cells", 0, "rows"), [], "fields", "cells[0].rows"),
        (("cells", 0, "plain", "o"), float("nan"), "value", "cells[0].plain.o"),
        (("cells", 0, "allowed", "o"), 1.0, "follows", "cells[0].allowed"),
        ((*ROW, "ms"), "fast", "value", "cells[0].flash.ms"),
        ((*ROW, "ms"), float("inf"), "value", "cells[0].flash.ms"),
        ((*ROW, "max"), 1e-9, "follows", "cells[0].flash.ms"),
        ((*ROW, "min"), 0, "follows", "cells[0].flash.ms"),
        ((*ROW, "tflops"), 90.0, "follows", "cells[0].flash.tflops"),
        ((*ROW, "error", "o"), 1.0, "follows", "cells[0].flash.error"),
        ((*ROW, "error", "dq"), 0.0, "fields", "cells[0].flash.error.dq"),
        ((*ROW, "watts"), -1, "value", "cells[0].flash.watts"),
        ((*THIRD, "missing"), "/tmp", "value", "cells[0].efficient.missing"),
        (("machine", "max_sm_clock"), "9 MHz", "follows", "cells[0].flash.tflops"),
    ],
)  # fmt: skip
def test_a_wrong_file_says_where(path, value, code, where):
    """Also where its digest is right."""
    for data in (put(made(), path, value), signed_again(put(made(), path, value))):
        with pytest.raises(share_file.Unfit) as unfit:
            share_file.read(json.dumps(data))
        assert (unfit.value.code, unfit.value.where) == (code, where)


def signed_again(data):
    return data | {"sha256": share.digest(data)}


def test_a_changed_file_is_seen_by_its_digest():
    data = put(made(), ("date",), "2026-11-29")
    with pytest.raises(share_file.Unfit, match="changed"):
        share_file.read(json.dumps(data))
    data = signed_again(put(made(), ("ratios", "forward", "flash", "mean"), 2.0))
    with pytest.raises(share_file.Unfit, match="follows: ratios"):
        share_file.read(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[" * 10**5, "9" * 5000, " " * 600_000])
def test_what_is_no_json(text):
    with pytest.raises(share_file.Unfit, match="json"):
        share_file.read(text)


@pytest.mark.parametrize("text", ["[]", "null", '"x"', "{}"])
def test_json_of_another_kind(text):
    with pytest.raises(share_file.Unfit):
        share_file.read(text)


MISSING = {
    "flash": {"missing": "RuntimeError: no kernel in /home/me/torch"},
    "cudnn": {"missing": "out of memory"},
    "efficient": {"refused": "error of o 1.0e-01, allowed 1e-3"},
    "causal": {"failed": "CompilationError: at /home/me/x.py"},
    "x": {"missing": "not installed: x"},
    "y": {"failed": "OutOfResources: out of resource: shared memory"},
}


def test_a_reason_is_one_of_the_known_ones():
    found = {name: sharing.reason(row) for name, row in MISSING.items()}
    assert [*found.values()] == [
        "not covered", "out of memory", "wrong", "failed", "not installed",
        "too little shared memory",
    ]  # fmt: skip
    assert {*found.values()} == {*share.REASONS}


def attention(x):
    s = x["q"] @ x["k"].mT * x["q"].shape[-1] ** -0.5
    n = s.shape[-1]
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    return torch.softmax(s.masked_fill(hidden, -torch.inf) if x["causal"] else s, -1)


def forward(x):
    return lambda: (attention(x) @ x["v"],)


def backward(x):
    q, k, v = (x[name].detach().requires_grad_() for name in "qkv")
    o = attention(x | {"q": q, "k": k}) @ v
    return lambda: torch.autograd.grad(o, (q, k, v), x["do"], retain_graph=True)


def absent(x):
    raise RuntimeError("No available kernel in /home/me")


@pytest.fixture
def card(monkeypatch):
    """A small card without a GPU: small cells, and each kernel is plain PyTorch."""
    problem, speeds = collect.problem, itertools.count(1)

    def entries(way, only):
        makes = dict.fromkeys(
            share.KERNELS[way], {"forward": forward}.get(way, backward)
        )
        return makes | {"cudnn": absent}

    def timer(run, right, **how):
        ms = 1 + next(speeds) % 7
        return lambda: {"ms": float(ms), "watts": 70.0}, {"calls": 1, "graph": False}

    def small(shape):
        if shape["n"] == 256 and shape["d"] == 16:
            raise torch.OutOfMemoryError("tried to allocate 17 GiB")
        return problem(shape, "cpu", torch.float32)

    monkeypatch.setattr(cells, "TOKENS", 256)
    monkeypatch.setattr(cells, "WIDTH", 32)
    for module, key, value in (
        (share, "SIZES", (64, 256)),
        (share, "DIMS", (8, 16)),
        (sharing, "SECONDS", 0),
        (
            sharing,
            "ASKED",
            sharing.ASKED | {"n": (64, 256), "d": (8, 16), "seconds": 0},
        ),
        (run, "compiled", lambda *_: None),
        (run.timing, "timer", timer),
        (run.timing, "power_and_clock", lambda: dict),
        (run.peers, "entries", entries),
        (collect, "problem", small),
        (collect, "saved", lambda x: None),
        (sharing.machine, "machine", lambda: dict(made()["machine"])),
        (sharing.machine, "packages", lambda: {"triton": "3.6.0", "fa3_fwd": None}),
        (torch.cuda, "stream", lambda stream: contextlib.nullcontext()),
        (torch.cuda, "Stream", lambda: None),
    ):
        monkeypatch.setattr(module, key, value)


def test_a_run_writes_a_file_that_the_reader_takes(card, tmp_path):
    said, steps = [], []
    path, data = sharing.measure(tmp_path, said.append, lambda *x: steps.append(x))
    assert path.name.startswith("geforce-rtx-9999-laptop-") and len(steps) == 16
    text = path.read_text("utf-8")
    assert share_file.read(text) == data == json.loads(text)
    left = [x for x in data["cells"] if "left_out" in x]
    assert len(left) == 4 and {(x["n"], x["d"]) for x in left} == {(256, 16)}
    for cell in data["cells"]:
        for row in cell.get("rows", ()):
            assert ("ms" in row) == (row["kernel"] != "cudnn")
    assert "/home" not in text and any("/home/me" in x for x in said)
    assert data["ratios"]["forward"]["flash"]["cells"] == 6
    assert data["ratios"]["backward"]["cudnn"] is None


def test_the_place_is_the_folder_at_hand_unless_told():
    assert str(sharing.place(None, "NVIDIA H200", "2026-11-28")) == (
        "h200-2026-11-28-share.json"
    )
    assert sharing.place("a/b.json", "x", "y").name == "b.json"


def test_the_public_function_is_what_is_compared():
    data = made()
    first = data["cells"][0]["rows"]
    assert first[-1]["kernel"] == PUBLIC
    for row in first:
        if row["kernel"] == "causal":  # a rung is not what a caller has
            row["tflops"] *= 2
    assert signed(data)["ratios"] == made()["ratios"]
