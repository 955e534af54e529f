"""The Gluon kernels for packed documents on the host: input, launches, whose keys."""

import types

import pytest
import torch

from tilewise.kernels import gluon_varlen, gluon_varlen_backward
from tilewise.kernels.host import launch as _launch
from tilewise.kernels.shared import gluon as _gluon
from tilewise.kernels.shared import gluon_varlen_backward as _gluon_varlen_backward
from tilewise.kernels.shared import order

from ..varlen import _varlen
from .test_gluon_forward import Plain
from .test_gluon_varlen import Loads, laid_out

LENGTHS = [20, 0, 45], [30, 7, 28]


def given(dtype=torch.bfloat16, d=64, **changes):
    """backward's arguments."""
    n_q, n_k = map(sum, LENGTHS)
    q, k = torch.zeros(n_q, 4, d, dtype=dtype), torch.zeros(n_k, 2, d, dtype=dtype)
    lse = torch.zeros(4, n_q).mT
    made = {"q": q, "k": k, "v": k, "o": q, "do": q, "lse": lse}
    places = {"cu_q": _varlen.ends(LENGTHS[0]), "cu_k": _varlen.ends(LENGTHS[1])}
    return made | places | changes


BAD = {
    "take fp16 and bf16, not torch.float32": given(torch.float32),
    "takes d up to 128, not 136": given(d=136),
    "d must be a multiple of 8": given(d=12),
    "must be \\(total, heads, d\\)": given(k=torch.zeros(65, 64)),
    "differ in d": given(k=torch.zeros(65, 2, 72, dtype=torch.bfloat16)),
    "cu_seqlens_q must be int32 or int64": given(cu_q=torch.zeros(4)),
    "cu_seqlens_k must fit cu_seqlens_q": given(cu_k=torch.tensor([0, 65])),
    "causal must be": given(causal="left"),
    "are for Hopper GPUs, not for cpu": given(),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(message):
    with pytest.raises(ValueError, match=message):
        gluon_varlen_backward.backward(**BAD[message])
    with pytest.raises(ValueError, match=message):
        some = {x: y for x, y in BAD[message].items() if x not in ("o", "do", "lse")}
        gluon_varlen.forward(**some)


def test_bad_tiles_and_saved_tensors(monkeypatch):
    monkeypatch.setattr(_gluon, "available", lambda device: True)
    some = {x: y for x, y in given().items() if x not in ("o", "do", "lse")}
    with pytest.raises(TypeError, match="not block_size"):
        gluon_varlen.forward(**some, block_size=64)
    with pytest.raises(ValueError, match="block_rows is 128 or 192"):
        gluon_varlen.forward(**some, block_rows=64)
    with pytest.raises(ValueError, match="lse must be"):
        gluon_varlen_backward.backward(**given(lse=torch.zeros(4, 65)))


@pytest.fixture
def launched(monkeypatch):
    """What the host code launches: [(kernel, grid, arguments)]; no plan is made."""
    made = []

    def launch(kernel, key, grid, *args, **_):
        made.append((kernel, grid, args))

    monkeypatch.setattr(_gluon, "available", lambda device: True)
    for module in (gluon_varlen, gluon_varlen_backward):
        monkeypatch.setattr(
            module,
            "launch",
            lambda f, key, grid, *args, **_: made.append((f, grid, args)),
        )
        monkeypatch.setattr(
            module, "plan", lambda outer, inner, n, m, block: (torch.zeros(7, 9), 9)
        )
    return made


@pytest.mark.parametrize("scale", [1, -2, 0, None])
def test_one_compiled_kernel_for_all_sizes(launched, scale):
    """As after the first launch on a GPU: whole numbers are no part of a kernel."""
    some = given(scale=scale)
    gluon_varlen_backward.backward(**some, dlse=torch.zeros(65, 4).double())
    for name in ("o", "do", "lse"):
        some.pop(name)
    gluon_varlen.forward(**some)
    names = [f.fn.__name__ for f, *_ in launched]
    assert names == ["rows_kernel", "main_kernel", "dq_kernel", "gluon_varlen"]
    for kernel, _, args in launched:
        _launch.check(kernel, args)
        assert len(args) <= len(kernel.params)


def test_heads_take_turns_on_one_dq(launched, monkeypatch):
    """Every head is in one turn, and a turn's dQ has room for its heads."""
    monkeypatch.setattr(gluon_varlen_backward, "heads_at_once", lambda *_: 1)
    gluon_varlen_backward.backward(**given())
    main = [args for f, _, args in launched if f.fn.__name__ == "main_kernel"]
    assert [args[10:13] for args in main] == [(0, 1, 4), (1, 1, 4)]  # first, at once
    assert main[0][6].base.numel() == 2 * (65 // 128 + 3) * 128 * 64


@pytest.mark.parametrize(
    "case, most",
    [
        ((32, 1, 16384, 16384, 16, 64), 32),  # short documents: 4 ms of work
        ((16, 1, 16384, 16384, 1, 128), 8),  # 64 MiB of fp32 dQ
        ((8, 2, 20580, 20580, 2, 128), 4),
        ((2, 8, 2**20, 2**20, 4, 128), 1),
    ],
)
def test_how_many_heads_at_once(case, most):
    assert _gluon_varlen_backward.heads_at_once(*case) == most


@pytest.fixture
def walks(monkeypatch):
    """walks(slots, units, shift, group, rows): every program's walk and edges."""
    module = _gluon_varlen_backward
    monkeypatch.setattr(order, "tl", Plain)
    for name, value in {
        "gl": Loads,
        "KEYS": 128,
        "longest_first": order.longest_first.fn,
        "pad_of": lambda row, number: (row // 128 + number) * 128,
        "Walk": lambda *x: types.SimpleNamespace(**dict(zip(WALK, x))),
        "Edges": lambda *x: types.SimpleNamespace(**dict(zip(EDGES, x))),
        "document": lambda plan, slots, slot: [
            plan.numbers[i * slots + slot] for i in range(6)
        ],
    }.items():
        monkeypatch.setattr(module, name, value)

    def walks(made, spare, units, shift, rows, crew):
        plan, slots = laid_out(made, spare)
        for Plain.program in range(slots * units):
            given = plan, slots, 2, units, 8, 4096, *shift, crew, 1, rows
            yield module.plan_keys.fn(*given)

    return walks


WALK = "col", "unit", "head", "heads", "first", "masked", "tiles", "see", "left"
EDGES = "row", "n_q", "key", "n_k", "pad"
DOCUMENTS = [300, 0, 64, 129, 5000, 1], [300, 40, 129, 0, 5000, 400]


@pytest.mark.parametrize("causal", [False, True, "top-left"])
@pytest.mark.parametrize("rows, crew", [(64, 512), (128, 0)])
def test_every_key_of_every_document_has_one_program(walks, causal, rows, crew):
    """It walks all tiles of rows that see one, and masks where one does not see all."""
    shift = {False: (1, 0), True: (1, 1), "top-left": (0, 0)}[causal]
    lengths_q, lengths_k = DOCUMENTS
    made, seen = _varlen.planned(lengths_k, lengths_q, 128), []
    for walk, at in walks(made, 4, 3, shift, rows, crew):
        if at.n_k == 0:
            assert walk.tiles == 0
            continue
        b = next(i for i, x in enumerate(_varlen.bounds(lengths_k)) if x.stop > at.key)
        assert (at.n_q, at.n_k) == (lengths_q[b], lengths_k[b])
        assert at.pad * rows == (_varlen.bounds(lengths_q)[b].start // 128 + b) * 128
        assert walk.head == 2 + walk.unit
        seen.append((b, walk.col, walk.unit))
        moved = shift[0] * at.n_k - shift[1] * at.n_q
        last = [min(r + moved, at.n_k - 1) for r in range(at.n_q)]
        first = walk.first - at.pad
        assert first + walk.tiles == -(-at.n_q // rows)
        assert all(key < walk.col for key in last[: first * rows])
        every = last[(first + walk.masked) * rows :]
        assert all(key >= walk.col + 127 for key in every)
        assert (
            walk.see == first * rows + shift[0] * at.n_k - shift[1] * at.n_q - walk.col
        )
        assert walk.left == at.n_k - 1 - walk.col
    blocks = [(b, col) for b, n in enumerate(lengths_k) for col in range(0, n, 128)]
    assert sorted(seen) == sorted((*x, unit) for x in blocks for unit in range(3))
