"""`bench --share`: its cells, what is compared, and a run without a GPU."""

import contextlib
import json

import pytest
import torch

from tests.bench._made import made, signed
from tilewise.bench import cells, collect, run, share, share_file, sharing
from tilewise.bench.cells import PUBLIC


def test_the_cells_are_some_of_the_setting():
    whole = [cells.named(x) for x in cells.cells()]
    found = share.expected()
    assert len(found) == 16
    for shape in found:
        assert {k: v for k, v in shape.items() if k != "pass"} in whole
    for way, names in share.KERNELS.items():
        order = cells.names(way)
        assert sorted(names, key=order.index) == [*names]
        rungs = cells.RUNGS[way]
        assert {*names[3:-1]} <= {*rungs} and names[-2] == rungs[-1]


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


def entries(way, only):
    """Plain PyTorch under every name, but cuDNN."""
    make = forward if way == "forward" else backward
    return dict.fromkeys(share.KERNELS[way], make) | {"cudnn": absent}


def timer(run, right, **how):
    return lambda: {"ms": 2.0, "watts": 70.0}, {"calls": 1, "graph": False}


def small(shape, problem=collect.problem):
    """A problem on the CPU; the longest and widest has no room."""
    if shape["n"] == 256 and shape["d"] == 16:
        raise torch.OutOfMemoryError("tried to allocate 17 GiB")
    return problem(shape, "cpu", torch.float32)


SMALL = {"n": (64, 256), "d": (8, 16), "seconds": 0}
INSTEAD = (
    (cells, "TOKENS", 256),
    (cells, "WIDTH", 32),
    (share, "SIZES", SMALL["n"]),
    (share, "DIMS", SMALL["d"]),
    (sharing, "ASKED", sharing.ASKED | SMALL),
    (run, "compiled", lambda *_: None),
    (run.timing, "timer", timer),
    (run.timing, "power_and_clock", lambda: dict),
    (run.peers, "entries", entries),
    (collect, "problem", small),
    (collect, "saved", lambda x: None),
    (sharing.machine, "machine", lambda: dict(made()["machine"])),
    (torch.cuda, "stream", lambda stream: contextlib.nullcontext()),
    (torch.cuda, "Stream", lambda: None),
)


@pytest.fixture
def card(monkeypatch):
    """A card without a GPU: small cells, and each kernel is plain PyTorch."""
    for module, key, value in INSTEAD:
        monkeypatch.setattr(module, key, value)


def test_a_run_writes_a_file_that_the_reader_takes(card, tmp_path):
    pytest.importorskip("triton")
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
