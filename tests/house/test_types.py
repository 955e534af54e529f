"""Types hold: in the package, and for programs that use it."""

import ast
import os
import subprocess
import sys

import pytest

from tilewise import kernels

from ._house import ROOT, SOURCE, floor_of

USE = """\
import torch
import tilewise
from tilewise.ledger.layer import account, card
from tilewise.trace import forward

q = torch.zeros(1, 2, 4, 8)
o: torch.Tensor = tilewise.flash_attention(q, q, q, causal="top-left")
o, lse = tilewise.flash_attention(q, q, q, return_lse=True)
o = tilewise.scaled_dot_product_attention(q, q, q, is_causal=True)
lengths = torch.tensor([0, 4])
o, lse = tilewise.flash_attention_varlen(
    q[0], q[0], q[0], lengths, lengths, return_lse=True
)
o = tilewise.ring_attention(q, q, q, causal="zig-zag")
o, lse = tilewise.flash_decode(q, q, q, lengths[1:], splits=2, return_lse=True)
layer = tilewise.FlashAttention(16, 2, num_kv_heads=1, causal=True)
o = layer(torch.zeros(1, 4, 16))
weights: list[float] = tilewise.softmax.online_softmax([1, 2.5])
m, l = tilewise.softmax.merge((0, 1), tilewise.softmax.IDENTITY)
for tile in forward([[1.0]], [[1]], [[2]], 1, 1, causal=True):
    print(tile["o"])
bill = account(4096, 64, card("H100", "bf16"))
o, lse = tilewise.kernels.naive.forward(q, q, q, scale=0.5)
o, lse = tilewise.flash2.flash2_forward(q, q, q, 2, 2, causal=True)
span = tilewise.masks.intersect(tilewise.masks.causal(4, 4))
rows = tilewise.packing.pack([[1, 2], [3]], 4)
o = tilewise.packing.unpack([rows[0]["tokens"]], rows)[0]
row: list[float] = tilewise.one_pass.attention_row([1], [[1]], [[2]])
share: float = tilewise.packing.fill(torch.tensor([1, 2]), [[0, 1]], 4)
"""
IDEAS = [path.stem for path in sorted(SOURCE.glob("[!_]*.py"))]
USE += "".join(f"tilewise.{name}.__doc__\n" for name in IDEAS)
ROOMS = ("trace", "ledger")
PLAIN = [SOURCE / f"{name}.py" for name in IDEAS if floor_of(name) == 0]
PLAIN += [path for room in ROOMS for path in sorted((SOURCE / room).glob("*.py"))]
CANNOT_BE_NAMED = {"exp", "traffic", "stream", "grid"}
ITERATORS = {"events", "march", "scan", "scan_backward", "tiles", "tiles_backward"}
ITERATORS |= {"forward", "backward", "decode"}  # of traces
AS_A_USER = """
[[tool.mypy.overrides]]  # these are strict as the package is not
module = ["use", "wrong"]
warn_return_any = true
"""
WRONG = {  # a line that a user might write: what is said about it
    'tilewise.flash_attention(q, q, q, causal="topleft")': "call-overload",
    "tilewise.flash_attention(q, q, q).sqeeze()": "attr-defined",
    "tilewise.flash_attention(q, q, q, return_lse=True).shape": "attr-defined",
    "tilewise.flash_attention(q, q, q, True)": "call-overload",
    "tilewise.scaled_dot_product_attention(q, q)": "call-arg",
    'tilewise.FlashAttention("16", 2)': "arg-type",
    'tilewise.softmax.safe_softmax("abc")': "arg-type",
    "tilewise.softmax.merge((0, 1), [0, 1])": "arg-type",
    "tilewise.one_pass.attention_row([1], [[1]], [[1]], 0.5)": "call-arg",
    'tilewise.trace.forward([[1]], [[1]], [[1]], "1", 1)': "arg-type",
    'tilewise.hardware.ridge("H100").value': "attr-defined",
    "tilewise.ledger.flash1_forward(4, 2, 2)": "call-arg",
    "tilewise.kernels.exp2.forward(q, q)": "call-arg",
    "tilewise.kernels.exp3": "attr-defined",
    "tilewise.flash3": "attr-defined",
}


def run(*words, where=ROOT):
    """Status and output of mypy or of a part of it."""
    env = os.environ | {"MYPYPATH": str(SOURCE.parent), "MYPY_CACHE_DIR": os.devnull}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=where,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What is said about the package, use.py and wrong.py: PyTorch is read once."""
    folder = tmp_path_factory.mktemp("mypy")
    lines = ["import torch", "import tilewise", "q = torch.zeros(1, 2, 4, 8)", *WRONG]
    (folder / "use.py").write_text(USE, "utf-8")
    (folder / "wrong.py").write_text("\n".join(lines) + "\n", "utf-8")
    text = (ROOT / "pyproject.toml").read_text("utf-8") + AS_A_USER
    (folder / "pyproject.toml").write_text(text, "utf-8")
    status, said = run("mypy", str(SOURCE), "use.py", "wrong.py", where=folder)
    assert status == 1 and "(checked " in said.splitlines()[-1], said
    return said.splitlines()[:-1]


@pytest.mark.full
def test_the_package_and_a_program_that_uses_it_are_clean(said):
    assert [x for x in said if not x.startswith("wrong.py:")] == []


@pytest.mark.full
def test_what_does_not_fit_is_found(said):
    for number, line in enumerate(WRONG, 4):
        about = [x for x in said if x.startswith(f"wrong.py:{number}:")]
        assert any(x.endswith(f"[{WRONG[line]}]") for x in about), (line, about)


def test_floor_0_is_annotated():
    """Python has no built-in name for the type of a function or of an iterator."""
    bare = []
    for path in PLAIN:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                every = node.args.args + node.args.kwonlyargs
                names = {x.arg for x in every if not x.annotation} - CANNOT_BE_NAMED
                if names or not (node.returns or node.name in ITERATORS):
                    bare.append((path.stem, node.name, names))
    assert bare == []


def parameters(body, name):
    """Of the function of this name: what can be given, and under which names."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            given = node.args
            kinds = given.args, given.kwonlyargs, [x for x in [given.kwarg] if x]
            return [[x.arg for x in kind if x.arg != "self"] for kind in kinds]
    return None


def test_every_rung_has_the_signature_that_the_ladder_says():
    file = ast.parse((SOURCE / "kernels/shared/signatures.py").read_text("utf-8"))
    classes = {x.name: x.body for x in file.body if isinstance(x, ast.ClassDef)}
    rungs = kernels.__annotations__
    assert (*rungs,) == kernels.NAMED + kernels.DECODING
    for name, kind in rungs.items():
        file = ast.parse((SOURCE / f"kernels/{name}.py").read_text("utf-8"))
        way = "backward" if "Backward" in kind else "forward"
        signature = parameters(classes[kind], way)
        assert signature and signature == parameters(file.body, way), name


def test_the_types_are_shipped():
    assert (SOURCE / "py.typed").read_text() == ""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'tilewise = ["py.typed"' in text
    assert [*SOURCE.rglob("*.pyi")] == []
