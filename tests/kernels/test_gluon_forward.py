"""gluon_forward without a GPU: bad input, what it leaves to others, and who works when.

What it computes is for tests/gpu, what ptxas makes of it for test_compile.py.
"""

import functools
import types

import pytest
import torch

from tilewise.kernels import gluon_forward
from tilewise.kernels.shared import gluon as _gluon
from tilewise.kernels.shared import work as _work

HALF = torch.zeros(1, 4, 20, 16, dtype=torch.float16)
WIDE = torch.zeros(1, 4, 20, 264, dtype=torch.bfloat16)
BAD = {
    "differ in batch or heads": ((HALF, HALF[:, :3], HALF), {}),
    "differ in d": ((HALF, HALF[..., :8], HALF), {}),
    "causal must be": ((HALF, HALF, HALF), {"causal": "left"}),
    "take fp16 and bf16, not torch.float32": (3 * (HALF.float(),), {}),
    "d must be a multiple of 8 up to 256": (3 * (WIDE,), {}),
    "are for Hopper GPUs, not for cpu": (3 * (HALF,), {}),
    "block_rows is 128 or 192": (3 * (HALF,), {"block_rows": 64}),
    "block_cols 64 or 128": (3 * (HALF,), {"block_cols": 96}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(message):
    arguments, options = BAD[message]
    with pytest.raises(ValueError, match=message):
        gluon_forward.forward(*arguments, **options)


def test_an_unknown_option_is_named():
    with pytest.raises(TypeError, match="not block_size"):
        gluon_forward.forward(HALF, HALF, HALF, block_size=64)


@pytest.mark.parametrize("name, found", [((9, 0), True), ((8, 0), False), ((10, 0), 0)])
def test_available_on_hopper_alone(monkeypatch, name, found):
    _gluon.available.cache_clear()
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: name)
    assert _gluon.available(torch.device("cuda", 0)) == found
    assert _gluon.available(torch.device("cpu")) is False
    _gluon.available.cache_clear()


class Plain:
    """gl's functions of whole numbers, in Python."""

    minimum, maximum, program, programs = min, max, 0, 1

    def cdiv(a, b):
        return -(-a // b)

    def where(condition, a, b):
        return a if condition else b

    def program_id(axis):
        return Plain.program

    def num_programs(axis):
        return Plain.programs


@pytest.fixture
def work(monkeypatch):
    """The methods of Work and of its Reach, run as the Python that they are."""
    monkeypatch.setattr(_work, "gl", Plain)

    def methods(me, kind, *names):
        for name in names:
            setattr(me, name, functools.partial(getattr(kind, name).fn, me))
        return me

    def make(n_q, n_k, shift, total, crew, rows, programs=1):
        reach = types.SimpleNamespace(n_q=n_q, n_k=n_k, shift=shift, rows=rows)
        reach.cols = 128
        methods(reach, _work.Reach, "tiles_of", "full_tiles")
        me = types.SimpleNamespace(reach=reach, total=total)
        blocks = -(-n_q // rows) * total
        me.crew, me.crews, me.odd = _work.turns(blocks, total, crew, programs)
        return methods(me, _work.Work, "rounds", "block")

    return make


SHAPES = [  # N_q, N_k, heads of the batch, of a crew, rows of a block, programs
    (1024, 1024, 512, 64, 128, 132),
    (4096, 4096, 64, 8, 128, 132),
    (16384, 16384, 32, 4, 192, 132),
    (1000, 1000, 37, 16, 192, 132),
    (1, 4096, 2048, 32, 128, 132),
    (50, 3000, 3, 3, 128, 3),
    (77, 64, 9, 5, 192, 8),
    # crews that are a round long, about one, and three
    (16896, 16896, 16, 1, 128, 132),
    (17000, 17000, 64, 1, 128, 132),
    (16512, 16512, 32, 1, 128, 132),
    (12600, 12600, 24, 4, 128, 132),
]


@pytest.mark.parametrize("n_q, n_k, total, crew, rows, programs", SHAPES)
def test_every_block_has_one_program_and_all_work_alike(
    work, n_q, n_k, total, crew, rows, programs
):
    """Each block once; the busiest program has 6 % more than the mean, or one block.

    A tile of keys costs 1, beginning and ending a block 1.5.
    """
    me = work(n_q, n_k, n_k - n_q, total, crew, rows, programs)
    Plain.programs, load, seen = programs, [], []
    for Plain.program in range(programs):
        mine = [me.block(turn) for turn in range(me.rounds())]
        seen += [(row, head) for row, head, keys in mine if keys]
        load.append(sum(keys + 1.5 for _, _, keys in mine if keys))
    assert sorted(seen) == [(i, h) for i in range(0, n_q, rows) for h in range(total)]
    mean, longest = sum(load) / programs, -(-n_k // 128) + 1.5
    assert max(load) <= max(1.06 * mean, mean + longest * (len(seen) < 10 * programs))


@pytest.mark.parametrize("shift", [-300, -64, -1, 0, 1, 100, 333, 1000])
def test_tiles_of_keys_that_rows_need_and_see_whole(work, shift):
    n_q, n_k = 333, 500
    me = work(n_q, n_k, shift, 1, 1, 128).reach
    for row in range(0, 384, 64):
        seen = [min(max(r + shift + 1, 0), n_k) for r in range(row, min(row + 64, n_q))]
        assert me.tiles_of(row, 64) == max(-(-max(seen, default=0) // 128), 1)
        if seen:
            assert me.full_tiles(row) == min(seen) // 128
            assert me.tiles_of(row, 64) - me.full_tiles(row) <= 2  # that need a mask
