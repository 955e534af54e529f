"""The light launch: what it asks for, and that it hands over what Triton would."""

import threading
from types import SimpleNamespace

import pytest
import torch
import triton
from triton.backends.nvidia import driver as nvidia
from triton.runtime import driver

from tilewise.kernels.host import launch as _launch
from tilewise.kernels.host.launch import Descriptor, check, direct, launch

META = {
    "swizzle": 3,
    "elem_size": 2,
    "elem_type": 10,
    "block_size": [1, 1, 64, 64],
    "fp4_padded": False,
}


def fill(*args):
    return ("map", *args)


@pytest.fixture
def card(monkeypatch):
    """A driver that can make maps and knows the stream; a record of launches."""
    utils = SimpleNamespace(fill_tma_descriptor=fill, fill_tma_descriptor_tiled=fill)
    active = SimpleNamespace(
        utils=utils, get_current_device=lambda: 0, get_current_stream=lambda _: 7
    )
    monkeypatch.setattr(driver, "_active", active)
    monkeypatch.setattr(torch.cuda, "mem_get_info", tuple)
    return monkeypatch


class Launcher:
    """In place of the one in C: records what it is called with."""

    def __init__(self, record):
        self.record = record

    def __call__(self, *args):
        self.record.append(args)


def compiled_for(metas, record):
    """As Triton holds a compiled kernel, with Triton's own wrapper and launcher."""
    signature = dict.fromkeys(range(len(metas)), "tensordesc<bf16[1]>")
    signature |= {len(metas): "*fp32", len(metas) + 1: "i32"}
    run = nvidia.CudaLauncher.__new__(nvidia.CudaLauncher)
    run.launch = nvidia.wrap_handle_tensordesc(Launcher(record), signature, metas)
    run.num_ctas, run.launch_cooperative_grid, run.launch_pdl = 1, False, False
    run.global_scratch_size = run.profile_scratch_size = 0
    run.global_scratch_align = run.profile_scratch_align = 1
    run.arg_annotations, run.kernel_signature = "annotations", "signature"
    return SimpleNamespace(run=run, function=11, packed_metadata=(4, 1, 0))


def same(x, y):
    """Equal, with sequences alike whatever their kind."""
    if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor):
        return x is y
    if isinstance(x, tuple | list):
        return len(x) == len(y) and all(map(same, x, y))
    return x == y


def test_the_launcher_gets_what_triton_hands_it(card):
    x, lse = torch.empty(2, 3, 64, 64, dtype=torch.bfloat16), torch.empty(2, 3, 64)
    given = [Descriptor(x[i:], x.stride(), (1, 1, 64, 64)) for i in range(2)]
    record = []
    compiled = compiled_for([META, META | {"swizzle": 1}], record)
    head = 7, compiled.function, compiled.packed_metadata, None, None, None
    compiled.run(4, 1, 1, *head, *given, lse, 64)
    direct(compiled)((4, 1, 1), (*given, lse, 64))
    theirs, ours = record
    assert same(theirs, ours) and ours[3] == 7
    record.clear()
    plain = compiled_for([], record)
    plain.run(4, 1, 1, *head, lse, 64)
    direct(plain)((4, 1, 1), (lse, 64))
    assert same(*record)


def test_a_thread_has_a_context_before_its_first_map(card):
    """CUDA makes no map without one, and a thread gets it late: once is enough."""
    done, x = [], torch.empty(2, 3, 64, 64, dtype=torch.bfloat16)
    card.setattr(torch.cuda, "mem_get_info", lambda: done.append("context"))
    run = direct(compiled_for([META], []))
    run.encode = lambda *tile: done.append("map")

    def calls():
        for _ in range(2):
            run((1, 1, 1), (Descriptor(x, x.stride(), (1, 1, 64, 64)),))

    for _ in range(2):
        thread = threading.Thread(target=calls)
        thread.start()
        thread.join()
    assert done == ["context", "map", "map"] * 2


def test_kernels_that_want_scratch_memory_go_the_usual_way(card):
    compiled = compiled_for([META], [])
    compiled.run.global_scratch_size = 128
    assert direct(compiled) is None


def test_an_older_card_goes_the_usual_way(card):
    record = []
    assert direct(compiled_for([None], record)) is None  # no copy engine
    assert direct(SimpleNamespace(run=SimpleNamespace(launch=lambda: 0))) is None
    assert direct(SimpleNamespace(run=None)) is None


class Kernel:
    """Stands for a kernel: counts the calls that go through Triton's own launch."""

    params = [
        SimpleNamespace(
            name=name, is_constexpr=name == "D", do_not_specialize=name == "N"
        )
        for name in ("X", "N", "D", "heads")
    ]

    def __init__(self, result):
        self.calls, self.result = [], result

    def __getitem__(self, grid):
        return lambda *args, **options: (
            self.calls.append((args, options)) or self.result
        )


def test_a_key_compiles_once(monkeypatch):
    record = []
    compiled = triton.compiler.CompiledKernel.__new__(triton.compiler.CompiledKernel)
    monkeypatch.setattr(_launch, "COMPILED", {})
    monkeypatch.setattr(
        _launch, "direct", lambda c: lambda grid, args: record.append((grid, args))
    )
    kernel, x = Kernel(compiled), torch.empty(8, 8)
    for n in (5, 6, 7):
        launch(kernel, ("cuda", 8), (n, 1, 1), x, n, 8, num_warps=4)
    assert kernel.calls == [((x, 5, 8), {"num_warps": 4})]
    assert record == [((n, 1, 1), (x, n, 8)) for n in (6, 7)]
    launch(kernel, ("cuda", 16), (5, 1, 1), x, 5, 16, num_warps=4)
    assert len(kernel.calls) == 2
    hooks = triton.knobs.runtime.launch_enter_hook
    monkeypatch.setattr(hooks, "calls", [print])
    launch(kernel, ("cuda", 8), (5, 1, 1), x, 5, 8, num_warps=4)
    assert len(kernel.calls) == 3  # a profiler sees it


def test_what_cannot_be_direct_goes_the_usual_way_each_time(monkeypatch):
    compiled = triton.compiler.CompiledKernel.__new__(triton.compiler.CompiledKernel)
    monkeypatch.setattr(_launch, "COMPILED", {})
    monkeypatch.setattr(_launch, "direct", lambda c: None)
    kernel = Kernel(compiled)
    tile = Descriptor(torch.empty(8, 8), (8, 1), (8, 8))
    for _ in range(3):
        launch(kernel, (), (1, 1, 1), tile)
    kinds = [type(args[0]).__name__ for args, _ in kernel.calls]
    assert kinds == ["TensorDescriptor"] * 3


def test_nothing_is_kept_in_the_interpreter(monkeypatch):
    monkeypatch.setattr(_launch, "COMPILED", {})
    kernel = Kernel(None)
    tile = Descriptor(torch.empty(8, 8), (8, 1), (8, 8))
    for _ in range(2):
        launch(kernel, (), (1, 1, 1), tile)
    assert len(kernel.calls) == 2 and not _launch.COMPILED
    ((made,), _) = kernel.calls[0]
    assert type(made) is triton.tools.tensor_descriptor.TensorDescriptor
    assert (made.shape, made.strides, made.block_shape) == ([8, 8], [8, 1], [8, 8])


@pytest.mark.parametrize("x", [3, True, (8, 1)])
def test_numbers_that_triton_compiles_for_are_refused(x):
    check(Kernel, (None, 5, 8, 0.5))
    with pytest.raises(TypeError, match="heads must be a constexpr or in do_not_spec"):
        check(Kernel, (None, 5, 8, x))
