"""Every forward rung without a GPU: right in the interpreter, and its input checked."""

import json
import subprocess
import sys

import pytest
import torch
from repository import ROOT

from tilewise import kernels

CHILD = "tests.kernels._interpret"
RUNGS = [rung for rung in kernels.FORWARD if not rung.startswith("gluon")]


@pytest.fixture(scope="module")
def wrong():
    """rung → what was wrong with it, from one child process for all of them."""
    command = [sys.executable, "-W", "error", "-m", CHILD, *RUNGS]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("rung", RUNGS)
def test_rung_is_right_in_the_interpreter(wrong, rung):
    assert wrong[rung] == []


def bad(**changes):
    """forward's arguments with something wrong."""
    given = {name: torch.zeros(1, 4, 20, 16) for name in ("q", "k", "v")} | changes
    return [given.pop(name) for name in ("q", "k", "v")], given


BAD = {
    "q must be (batch, heads, N, d)": bad(q=torch.zeros(20, 16)),
    "differ in batch or heads": bad(k=torch.zeros(1, 3, 20, 16)),
    "do not fit in batch or heads": bad(q=torch.zeros(1, 6, 20, 16)),
    "differ in d": bad(k=torch.zeros(1, 4, 20, 24)),
    "k and v differ in N": bad(v=torch.zeros(1, 4, 21, 16)),
    "d must be a multiple of 8 up to 256": bad(v=torch.zeros(1, 4, 20, 24)),
    "must be fp16, bf16 or fp32": bad(
        **{name: torch.zeros(1, 4, 20, 16).double() for name in ("q", "k", "v")}
    ),
    "on one device": bad(v=torch.zeros(1, 4, 20, 16, device="meta")),
    "block_cols must be a power of two from 16": bad(block_cols=24),
    "block_rows must be a whole number": bad(block_rows=0),
    "causal must be": bad(causal="left"),
}


@pytest.mark.parametrize("message", BAD)
@pytest.mark.parametrize("rung", RUNGS)
def test_bad_input_gets_one_sentence(rung, message):
    arguments, options = BAD[message]
    with pytest.raises(
        ValueError, match=message.replace("(", r"\(").replace(")", r"\)")
    ):
        getattr(kernels, rung).forward(*arguments, **options)


@pytest.mark.parametrize("rung", RUNGS)
def test_an_unknown_option_is_named(rung):
    arguments, _ = bad()
    with pytest.raises(TypeError, match="not block_size"):
        getattr(kernels, rung).forward(*arguments, block_size=64)


def test_rungs_come_by_name():
    assert set(kernels.FORWARD + kernels.BACKWARD) < set(dir(kernels))
    with pytest.raises(AttributeError, match="no attribute 'flash9'"):
        kernels.flash9  # noqa: B018
