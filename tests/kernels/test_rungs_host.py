"""What the rungs do on the host: which results they make, and what they launch."""

import importlib
from types import SimpleNamespace

import pytest
import torch
from triton.runtime import driver

from tilewise.kernels.causal import causal_rows
from tilewise.kernels.host.descriptor import describable, strides_of
from tilewise.kernels.host.launch import check
from tilewise.kernels.shared import gluon as _gluon
from tilewise.kernels.shared.common import check as check_input
from tilewise.kernels.shared.common import fits, like, shift
from tilewise.kernels.shared.order import crew_of
from tilewise.kernels.shared.window import narrow

LIGHT = (
    "descriptors",
    "gluon_forward",
    "backward_descriptors",
    "gluon_backward",
    "gluon_wide_backward",
)
WINDOWS = "gluon_windows", "gluon_windows_backward"


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


@pytest.mark.parametrize("name", LIGHT + WINDOWS)
@pytest.mark.parametrize("scale", [1, -2, 0, None])
def test_a_whole_number_may_be_the_scale(launched, name, scale):
    _, made = launched(name, *given(name), scale=scale)
    assert made
    for kernel, _, args in made:
        check(kernel, args)  # as after the first launch on a GPU


@pytest.mark.parametrize("name", [*LIGHT[2:], WINDOWS[1]])
@pytest.mark.parametrize("row", [torch.float64, torch.bfloat16, torch.float32])
def test_one_compiled_kernel_reads_l_in_one_dtype(launched, name, row):
    tensors = given(name, row)
    _, made = launched(name, *tensors, dlse=tensors[-1])
    bare = [x for _, _, args in made for x in args if isinstance(x, torch.Tensor)]
    assert len(bare) >= 4
    assert {x.dtype for x in bare} - {torch.int32} == {torch.float32}


def windows(n, d, dtype=torch.float32):
    """(1, 1, n, d) of which each row begins one number after the row before."""
    return torch.zeros(1, 1, n + d - 1, dtype=dtype).unfold(-1, d, 1)


def test_results_have_dense_rows():
    x = windows(32, 64)
    assert torch.empty_like(x).stride(-1) != 1  # which is why
    assert like(x).is_contiguous() and like(x).shape == x.shape
    turned = torch.zeros(2, 7, 3, 16).transpose(1, 2)
    assert like(turned).stride() == turned.stride()


@pytest.mark.parametrize("name", LIGHT + WINDOWS)
def test_rows_that_overlap_have_results_of_their_own(launched, name):
    x = windows(32, 64, torch.bfloat16)
    tensors = [x] * (3 if "backward" not in name else 5)
    row = [torch.zeros(1, 1, 32)] if "backward" in name else []
    results, made = launched(name, *tensors, *row)
    tiles = results[:3] if "backward" in name else results[:1]
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


def draws(seed):
    """q, k, v that fit, or differ from such in a way or two."""
    made = torch.Generator().manual_seed(seed)

    def pick(right, *wrong):
        i = torch.randint(12 * len(wrong), (), generator=made)
        return right if i >= len(wrong) else wrong[i]

    heads, d = 2 * seed % 6 + 2, pick(8 * (seed % 32 + 1), 264, 12)
    q = [pick(2, 0), heads, pick(9, 0), d]
    k = [pick(q[0], 3), pick(heads // (seed % 2 + 1), 3), pick(7, 0), pick(d, 16)]
    v = [*k[:2], pick(k[2], 5), pick(d, 16)]
    v = pick(v, v[1:], [1, *v])
    dtype = pick([torch.float16, torch.bfloat16, torch.float32][seed % 3], torch.double)
    dtypes = dtype, pick(dtype, torch.float32), pick(dtype, torch.int32)
    devices = "cpu", pick("cpu", "meta"), pick("cpu", "meta")
    return [
        torch.empty(shape, dtype=dtype, device=device)
        for shape, dtype, device in zip((q, k, v), dtypes, devices)
    ]


def test_one_look_sees_what_the_whole_check_does():
    seen = []
    for seed in range(600):
        tensors = draws(seed)
        try:
            check_input(*tensors, 32, 32, False)  # not the usual tile: check by check
            seen.append(True)
        except ValueError:
            seen.append(False)
        assert fits(*tensors) == seen[-1], [(x.shape, x.dtype) for x in tensors]
    assert 100 < sum(seen) < 500
    tensors = [torch.empty(1, 2, 3, 8)] * 3
    check_input(*tensors, 64, 128, True)
    for wrong in ((64, 128, "left"), (64, 8, False), (96, 64, False)):
        with pytest.raises(ValueError, match="causal|block_cols|block_rows"):
            check_input(*tensors, *wrong)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_the_copy_engine_walks_whole_16_bytes(dtype):
    """A tensor is taken as it lies only if the strides that count are such."""
    unit, taken = 16 // dtype.itemsize, set()
    room = torch.zeros(4096, dtype=dtype)
    for seed in range(300):
        made = torch.Generator().manual_seed(seed)
        *shape, at = torch.randint(1, 3, (4,), generator=made).tolist()
        steps = torch.randint(0, 5, (3,), generator=made) * unit
        steps = (steps + (torch.rand(3, generator=made) < 0.1)).tolist()
        at = 0 if at == 1 or seed % 4 else 4
        x = room.as_strided((*shape, 8), (*steps, 1), at)
        counted = [s for s, n in zip(steps, shape) if n > 1]
        fine = x.data_ptr() % 16 == 0 and all(s and s % unit == 0 for s in counted)
        fine |= x.data_ptr() % 16 == 0 and x.is_contiguous()
        y = describable(x)
        assert (y is x) == fine and torch.equal(x, y)
        strides = strides_of(y)
        assert all(s and s % unit == 0 for s in strides[:-1]) and strides[-1] == 1
        assert all(s == t for n, s, t in zip(shape, strides, y.stride()) if n > 1)
        taken.add(fine)
    assert taken == {True, False}


def test_a_window_is_narrow_where_each_row_sees_fewer_than_2048_keys():
    assert narrow(True, (2046, None)) and narrow(False, (2000, 46))
    assert not narrow(True, (2047, 0)) and not narrow(False, (2000, 47))
    assert not narrow(False, (9, None)) and not narrow(True, (None, 0))
    assert not narrow(True, None)
