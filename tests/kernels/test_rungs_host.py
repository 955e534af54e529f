"""What the rungs do on the host: which results they make, and what they launch."""

import importlib
import sys
from types import SimpleNamespace

import pytest
import torch

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)

from triton.runtime import driver

from tilewise.kernels import _gluon
from tilewise.kernels._common import like, shift
from tilewise.kernels._launch import check
from tilewise.kernels.causal import causal_rows, crew_of

LIGHT = "descriptors", "gluon_forward", "backward_descriptors", "gluon_backward"


@pytest.fixture
def launched(monkeypatch):
    """launched(name, *tensors, …): results, (kernel, key, arguments) of launches."""
    monkeypatch.setattr(_gluon, "available", lambda device: True)

    def launched(name, *tensors, **options):
        rung, made = importlib.import_module(f"tilewise.kernels.{name}"), []
        monkeypatch.setattr(
            rung, "launch", lambda f, key, _, *args, **o: made.append((f, key, args))
        )
        part = "backward" if "backward" in name else "forward"
        return getattr(rung, part)(*tensors, **options), made

    return launched


def given(name, row=torch.float32):
    """q, k, v, and for a backward pass o, dO and L in the dtype given."""
    x = [torch.zeros(1, 2, 40, 64, dtype=torch.bfloat16) for _ in range(5)]
    return [*x, torch.zeros(1, 2, 40, dtype=row)] if "backward" in name else x[:3]


@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize("scale", [1, -2, 0, None])
def test_a_whole_number_may_be_the_scale(launched, name, scale):
    _, made = launched(name, *given(name), scale=scale)
    assert made
    for kernel, _, args in made:
        check(kernel, args)  # as after the first launch on a GPU


@pytest.mark.parametrize("name", LIGHT[2:])
@pytest.mark.parametrize("row", [torch.float64, torch.bfloat16, torch.float32])
def test_one_compiled_kernel_reads_l_in_one_dtype(launched, name, row):
    tensors = given(name, row)
    _, made = launched(name, *tensors, dlse=tensors[-1])
    bare = [x for _, _, args in made for x in args if isinstance(x, torch.Tensor)]
    assert len(bare) >= 4 and {x.dtype for x in bare} == {torch.float32}


def windows(n, d, dtype=torch.float32):
    """(1, 1, n, d) of which each row begins one number after the row before."""
    return torch.zeros(1, 1, n + d - 1, dtype=dtype).unfold(-1, d, 1)


def test_results_have_dense_rows():
    x = windows(32, 64)
    assert torch.empty_like(x).stride(-1) != 1  # which is why
    assert like(x).is_contiguous() and like(x).shape == x.shape
    turned = torch.zeros(2, 7, 3, 16).transpose(1, 2)
    assert like(turned).stride() == turned.stride()


@pytest.mark.parametrize("name", LIGHT)
def test_rows_that_overlap_have_results_of_their_own(launched, name):
    x = windows(32, 64, torch.bfloat16)
    tensors = [x] * (3 if "backward" not in name else 5)
    row = [torch.zeros(1, 1, 32)] if "backward" in name else []
    results, made = launched(name, *tensors, *row)
    tiles = results if "backward" in name else results[:1]
    assert all(y.is_contiguous() for y in tiles) and made


def test_a_crew_has_no_more_heads_than_there_are():
    """The kernel multiplies it with the number of tiles, in 32 bits."""
    q, k = torch.empty(1, 8, 65536, 8, device="meta"), torch.empty(1, 1, 1, 8)
    assert crew_of(q, k) == 8
    assert crew_of(q[:, :, :1].expand(3, 8, 1, 8), k.expand(3, 1, 1, 8)) == 24
    many = torch.empty(1, 8, 2**14, 128, device="meta")  # 16 MiB a head of K and V
    assert crew_of(many, many) == 1


class Pointer:
    """Stands for a tensor in a launch."""

    def __init__(self, dtype=torch.float16):
        self.dtype = dtype

    def data_ptr(self):
        return 1024


def test_decoding_wants_few_compiled_kernels(monkeypatch):
    """By Triton's own account: lengths of K of 1, of whole 16, and all others."""
    card = SimpleNamespace(arch=80, backend="cuda", warp_size=32)
    active = SimpleNamespace(
        get_current_device=lambda: 0, get_current_target=lambda: card
    )
    monkeypatch.setattr(driver, "_active", active)
    *_, binder = causal_rows.create_binder()
    q, wanted = torch.empty(1, 16, 1, 64, device="meta"), set()
    cache = torch.empty(1, 4, 4096, 64, device="meta")
    for n in range(1, 2049):
        k = cache[:, :, :n]
        args = [Pointer() for _ in range(4)] + [Pointer(torch.float32)]
        args += [x.stride()[:3] for x in (q, k, k, q)]
        args += [1, n, shift(True, 1, n), 0.125, 16, 4, 16, crew_of(q, k)]
        _, kinds, _ = binder(*args, 64, 64, 128, 64)
        wanted.add(str(kinds))
    assert len(wanted) <= 3
