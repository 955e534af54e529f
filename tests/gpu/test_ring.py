"""Ring attention over 2 and 4 GPUs with NCCL, against float64 on one."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tilewise.attention.dispatch import route
from tilewise.ring.zigzag import unzigzag

from .._oracle import assert_as_good, floors
from ..kernels._backward import exact
from ._ring import CASES, draw

if not torch.cuda.is_available():
    pytest.skip("needs GPUs", allow_module_level=True)
WORLDS = [n for n in (2, 4) if n <= torch.cuda.device_count()]
if not WORLDS:
    pytest.skip("needs two GPUs", allow_module_level=True)
BACKENDS = "nccl", "cpu:gloo,cuda:nccl"
EACH = pytest.mark.parametrize("world", WORLDS)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """{world: what each rank found}."""
    script, made = Path(__file__).with_name("_ring.py"), {}
    for world in WORLDS:
        folder = tmp_path_factory.mktemp(f"ring-{world}")
        line = [sys.executable, script, str(world), folder]
        done = subprocess.run(line, capture_output=True, text=True, timeout=500)
        assert done.returncode == 0, done.stderr
        files = [folder / f"{rank}.pt" for rank in range(world)]
        made[world] = [torch.load(file) for file in files]
    return made


def check(shares, name, world):
    dtype, causal, *_ = CASES[name]
    join = unzigzag if causal else torch.cat
    made = [join(x, dim=2).double() for x in zip(*shares, strict=True)]
    given = [x.cuda() for x in draw(name, world)]
    true = [x.cpu() for x in exact(*given, causal)]
    plain = [x.double().cpu() for x in exact(*given, causal, dtype=dtype)]
    eps = torch.finfo(dtype).eps
    assert_as_good(made, true, plain, floors(*given), units=2, eps=eps)


@EACH
@pytest.mark.parametrize("name", CASES)
def test_all_gpus_together_equal_float64(found, world, name):
    check([rank[name, "nccl"] for rank in found[world]], name, world)


def test_the_cases_take_kernels_and_tiles():
    for name, (dtype, *_, d) in CASES.items():
        x = torch.empty(1, 1, 16, d, dtype=dtype, device="cuda")
        assert (route(x, x, x) is None) == (name == "by tiles")


@EACH
@pytest.mark.parametrize("backend", BACKENDS)
def test_new_memory_is_written_before_it_is_read(found, world, backend):
    check([rank["filled", backend] for rank in found[world]], "causal", world)
    check([rank["causal", backend] for rank in found[world]], "causal", world)


@EACH
@pytest.mark.parametrize("backend", BACKENDS)
def test_heads_in_turns(found, world, backend):
    check([rank["turns", backend] for rank in found[world]], "causal", world)


@EACH
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_same_bits_every_time(found, world, backend):
    for rank in found[world]:
        for x, y in zip(rank["again", backend], rank["filled", backend], strict=True):
            assert x.equal(y)


@EACH
@pytest.mark.parametrize("backend", BACKENDS)
def test_another_length_is_refused_on_all(found, world, backend):
    for rank in found[world]:
        assert "N of q must be the same" in rank["refused", backend]
