"""The stand-alone files run without tilewise, and are what the package computes."""

import subprocess
import sys

import pytest
import torch
from generate import environment, lacks_library
from repository import ROOT

import tilewise
from tilewise import one_pass, softmax
from tilewise.alone import FILES, MOST, program
from tilewise.alone.inline import inline
from tilewise.alone.modules import Unusable

from ._alone import WITHOUT, loaded

torch.set_num_threads(1)


def run(folder, text, file):
    """What a fresh interpreter prints that has only the packages that it names."""
    head = text[: text.index('"""\n\n')].lower()
    hidden = [x for x in ("torch", "triton", "numpy") if x not in head]
    quiet = ["-W", "error", "-W", "ignore:Failed to initialize NumPy"]
    command = [sys.executable, "-I", "-X", "utf8", *quiet, "-c", WITHOUT]
    command += [",".join(["tilewise", *hidden]), file]
    env = environment() | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=300
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_short_and_the_one_that_is_offered(name):
    text = program(name)
    offered = ROOT / f"docs/generated/alone/{name}.py"
    assert offered.read_text("utf-8") == text, "run scripts/generate.py " + name
    assert len(text.splitlines()) <= MOST and max(map(len, text.splitlines())) <= 88
    assert "import tilewise" not in text and "from tilewise" not in text


@pytest.mark.few(2)
@pytest.mark.parametrize("name", FILES)
def test_a_file_runs_alone(name, tmp_path):
    text = program(name)
    if lacks_library(text):
        pytest.skip("Triton is for Linux")
    (tmp_path / f"{name}.py").write_text(text, "utf-8")
    status, said = run(tmp_path, text, f"{name}.py")
    assert status == 0 and said.count("\n") >= 1, said


def test_online_softmax_is_the_package(tmp_path):
    file = loaded("online_softmax", program("online_softmax"), tmp_path)
    for seed in range(200):
        n = seed % 13 + 1
        rows = torch.randn(3, n, generator=torch.Generator().manual_seed(seed))
        xs, (keys, values) = rows[0].tolist(), rows[1:, :, None].tolist()
        assert file.online_softmax(xs) == softmax.online_softmax(xs)
        assert file.attention_row([2.0], keys, values) == one_pass.attention_row(
            [2.0], keys, values
        )
        a, b = (xs[0], 1.5, [0.3]), (xs[-1], 0.5, [1.0])
        assert file.merge(a, b) == softmax.merge(a, b)


def drawn(seed):
    """q, k, v, do and options of a random call."""
    source = torch.Generator().manual_seed(seed)
    n_q, n_k, d, d_v, heads = (
        int(torch.randint(1, most, (), generator=source))
        for most in (150, 150, 40, 40, 3)
    )
    q, do = (torch.randn(2, 2 * heads, n_q, x, generator=source) for x in (d, d_v))
    k, v = (torch.randn(2, heads, n_k, x, generator=source) for x in (d, d_v))
    how = {"causal": (False, True, "top-left")[seed % 3], "return_lse": True}
    if seed % 3 < 2:
        how["window"] = (None, (7, 0), (None, 5), (20, 20))[seed % 4]
    how["softcap"] = (None, 2.0)[seed % 2]
    how["sinks"] = torch.randn(2 * heads, generator=source) if seed % 5 == 0 else None
    dtype = (torch.float32, torch.float64, torch.float16)[seed % 7 % 3]
    return [x.to(dtype) for x in (q, k, v, do)], how


def results(attention, tensors, how):
    """o, L and all gradients, of o and of L together."""
    q, k, v, do = tensors
    learned = [x.clone().requires_grad_() for x in (q, k, v)]
    sinks = how.get("sinks")
    if sinks is not None:
        learned.append(sinks.clone().requires_grad_())
        how = how | {"sinks": learned[-1]}
    o, lse = attention(*learned[:3], **how)
    loss = (o * do).sum() + lse.masked_fill(lse == -torch.inf, 0).sum()
    return [o, lse, *torch.autograd.grad(loss, learned)]


def test_flash_attention_torch_is_the_package(tmp_path):
    file = loaded("flash_attention_torch", program("flash_attention_torch"), tmp_path)
    for seed in range(200):
        call = drawn(seed)
        ours = results(tilewise.flash_attention, *call)
        assert all(map(torch.equal, results(file.flash_attention, *call), ours)), seed


@pytest.mark.full
@pytest.mark.skipif(lacks_library("import triton"), reason="Triton is for Linux")
def test_the_files_in_triton_are_the_package(cases=24):  # every week 200
    command = [sys.executable, "-m", "tests.alone._triton", str(cases)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, f"{cases} cases are equal\n"), done


def test_what_is_renamed_and_what_is_refused():
    """Two things of one name; a module as a value; a name that is local there."""
    text = inline(
        "from tilewise import merge, softmax\n"
        "print(softmax.merge((0.0, 1.0), (0.0, 1.0)), merge.merge)\n"
    )
    assert "def merge(a: tuple" in text and "def merge_merge(o: Tensor" in text
    assert text.endswith("print(merge((0.0, 1.0), (0.0, 1.0)), merge_merge)\n")
    with pytest.raises(Unusable, match="softmax is a module"):
        inline("from tilewise import softmax\nprint(softmax)\n")
    hidden = "def f(weight):\n    return softmax.weight(weight, 1)\n"
    with pytest.raises(Unusable, match="weight is something else"):
        inline(f"from tilewise import softmax\n\n\n{hidden}")
    with pytest.raises(Unusable, match="no module"):
        inline("from tilewise.softmax import nothing\nprint(nothing)\n")
