"""The Gluon kernels for packed documents without a GPU: who works when, what is made.

What they compute is for tests/gpu; what ptxas makes of the forward pass is in
test_compile.py.
"""

import functools
import heapq
import types

import pytest
import torch

from tilewise.kernels.shared import gluon_varlen as _gluon_varlen
from tilewise.kernels.shared import work as _work

from ..varlen._varlen import bounds, planned
from ._child import told
from .test_gluon_backward import ordered
from .test_gluon_forward import Plain

COPIES = 4  # of the loop over tiles: two consumers, with the mask and without


@pytest.fixture(scope="module")
def compiled():
    """What _gluon_backward.py found, by d."""
    jobs = [{"d": d, "packed": True} for d in (64, 128)]
    return dict(zip((64, 128), told("_gluon_backward.py", jobs)))


@pytest.mark.full
@pytest.mark.parametrize("d", [64, 128])
def test_backward_fits_without_spills(compiled, d):
    found = compiled[d]["main_kernel"]
    assert found["registers"] <= 168 and found["shared"] <= 227 * 1024, found
    assert found["wgmma"] == 32 * COPIES and found["mma"] == 0, found
    assert found["tma"] > 0 and found["reductions"] >= 2, found
    assert "overwritten" not in found, found
    kernels = compiled[d].keys() - {"loops"}
    assert kernels == {"main_kernel", "plan_kernel", "rows_kernel", "dq_kernel"}
    assert all(compiled[d][name]["spills"] == 0 for name in kernels)


@pytest.mark.full
@pytest.mark.parametrize("d", [64, 128])
def test_backward_keeps_its_order(compiled, d):
    ordered(compiled[d]["loops"], d, COPIES)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_document_ends_where_an_axis_ends(monkeypatch, dtype):
    """The address of each row that is within; past the end the axis is over."""
    monkeypatch.setattr(_gluon_varlen, "BILLION", 2**30)
    place = _gluon_varlen.place.fn
    monkeypatch.undo()
    x = torch.zeros(70, 6, 24, dtype=dtype).unflatten(1, (3, 2))[:, 1]
    tile = _gluon_varlen.describe(x, 64, 64)
    assert all(s * 2 % 16 == 0 for s in tile.strides[:-1]) and tile.strides[-1] == 1
    for first, n in ((0, 70), (13, 40), (69, 1), (20, 0)):
        for row in (-1, 0, n - 1, n, n + 63):
            monkeypatch.setattr(_gluon_varlen, "BILLION", 2**30)
            at = place(first, n, 1, row)
            monkeypatch.undo()
            inside = all(0 <= i < size for i, size in zip(at, tile.shape))
            assert inside == (row < n)  # rows before the first are never asked for
            moved = 2 * sum(i * s for i, s in zip(at, tile.strides)) % 2**64
            right = 2 * ((first + row) * x.stride(0) + x.stride(1))
            assert moved == right % 2**64


class Pointer:
    """Numbers and how far into them."""

    def __init__(self, numbers, at=0):
        self.numbers, self.at = numbers, at

    def __add__(self, more):
        return Pointer(self.numbers, self.at + more)


class Loads(Plain):
    def load(pointer):
        return pointer.numbers[pointer.at]


def laid_out(slots, spare):
    """A plan in memory, with slots that are left over."""
    slots = [*slots, *[(7, 0, 7, 7, 7, 7)] * spare]
    return Pointer([x for field in zip(*slots) for x in field]), len(slots)


@pytest.fixture
def packed(monkeypatch):
    """Packed.block, run as the Python that it is."""
    monkeypatch.setattr(_gluon_varlen, "gl", Loads)
    monkeypatch.setattr(_work, "gl", Loads)
    names = ("n_q", "n_k", "shift", "rows", "cols")

    def reach(*values):
        me = types.SimpleNamespace(**dict(zip(names, values, strict=True)))
        me.tiles_of = functools.partial(_work.Reach.tiles_of.fn, me)
        return me

    monkeypatch.setattr(_gluon_varlen, "Reach", reach)

    def make(outer, inner, heads, group, room, rows, shift):
        plan, slots = laid_out(planned(outer, inner, rows), 3)
        me = types.SimpleNamespace(plan=plan, slots=slots, heads=heads, group=group)
        me.room, me.rows, me.cols, (me.of_k, me.of_q) = room, rows, 128, shift
        for name in ("blocks", "block"):
            method = getattr(_gluon_varlen.Packed, name).fn
            setattr(me, name, functools.partial(method, me))
        return me

    return make


LENGTHS = [  # of q, of k; heads, group, room, rows of a block; programs
    ([1024] * 16, [1024] * 16, 32, 1, 65536, 128, 132),
    ([1024] * 16, [1024] * 16, 16, 1, 32768, 128, 132),
    ([4096] * 4, [4096] * 4, 16, 4, 32768, 128, 132),
    ([16384], [16384], 32, 1, 65536, 192, 132),
    ([3000, 1, 0, 700, 129, 128], [3000, 50, 9, 0, 129, 400], 6, 2, 4096, 128, 7),
]


@pytest.mark.parametrize("case", LENGTHS, ids=str)
def test_every_block_of_every_document_has_one_program(packed, case):
    """And the busiest has 6 % more than the mean, or one block, as in one batch."""
    outer, inner, heads, group, room, rows, programs = case
    me = packed(outer, inner, heads, group, room, rows, (1, 1))
    load, seen = [0] * programs, []
    for number in range(me.blocks()):
        work, first, key, row, head, keys = me.block(number)
        if not keys:
            continue
        seen.append((first, row, head))
        heapq.heapreplace(load, load[0] + keys + 1.5)  # who is done first draws it
        b = [x.start for x in bounds(outer)].index(first)
        b += outer[b] == 0  # the document that is there
        assert (work.n_q, work.n_k) == (outer[b], inner[b])
        assert key == bounds(inner)[b].start
        sees = min(row + rows, outer[b]) + inner[b] - outer[b]
        assert keys == max(-(-min(sees, inner[b]) // 128), 1)
    expected = [
        (at.start, row, head)
        for at, n in zip(bounds(outer), outer)
        for row in range(0, n, rows)
        for head in range(heads)
    ]
    assert sorted(seen) == sorted(expected)
    mean, longest = sum(load) / programs, -(-max(inner) // 128) + 1.5
    assert max(load) <= max(1.06 * mean, mean + longest * (len(seen) < 1320))
