"""Who takes which block in the persistent Gluon kernel: its own code, on a CPU."""

import math
import sys
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
import torch

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)

from tilewise.kernels._work import Work
from tilewise.kernels.causal import crew_of
from tilewise.kernels.gluon_forward import choose

PROGRAMS = 132  # processors of an H200
OVERHEAD = 1.5  # tiles of keys that the rest of a block takes


def plain(method, gl):
    """A method of Work as a Python function of NumPy's numbers."""
    return FunctionType(method.fn.__code__, {"gl": gl})


def drawn(shape, group=1, n_k=None, causal=True, programs=PROGRAMS):
    """(first row, head, tiles of keys) of each round and program: (3, rounds, P)."""
    batch, heads, n_q, d = shape
    q = torch.empty(shape, device="meta", dtype=torch.bfloat16)
    k = q.new_empty(batch, heads // group, n_k or n_q, d)
    rows, cols, _ = choose(q, causal, {})
    gl = SimpleNamespace(
        program_id=lambda axis: np.arange(programs), num_programs=lambda axis: programs,
        cdiv=lambda a, b: -(-a // b), where=np.where, minimum=np.minimum,
        maximum=np.maximum,
    )  # fmt: skip
    work = SimpleNamespace(
        n_q=n_q, n_k=k.shape[2], shift=k.shape[2] - n_q if causal else k.shape[2],
        heads=heads, group=group, total=batch * heads, crew=crew_of(q, k), rows=rows,
        cols=cols,
    )  # fmt: skip
    work.tiles_of = lambda *a: plain(Work.tiles_of, gl)(work, *a)
    rounds = range(plain(Work.rounds, gl)(work))
    found = (np.broadcast_arrays(*plain(Work.block, gl)(work, r)) for r in rounds)
    return work, np.stack([*found], 1)


CASES = [
    ((2, 8, 500, 64), 1, None), ((1, 16, 17000, 128), 1, None),
    ((3, 12, 700, 128), 4, 1300), ((1, 6, 900, 64), 2, 400), ((1, 1, 50, 64), 1, None),
]  # fmt: skip


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape, group, n_k", CASES)
def test_every_block_is_drawn_once(shape, group, n_k, causal):
    work, (row, head, keys) = drawn(shape, group, n_k, causal)
    some = keys > 0
    blocks = list(zip(row[some].tolist(), head[some].tolist()))
    starts = range(0, work.n_q, work.rows)
    assert sorted(blocks) == [(r, h) for r in starts for h in range(work.total)]
    assert (np.diff(some.astype(int), axis=0) <= 0).all()  # 0 tiles end a program


@pytest.mark.parametrize("shape, group, n_k", CASES)
def test_as_many_tiles_as_the_block_sees(shape, group, n_k):
    work, (row, _, keys) = drawn(shape, group, n_k)
    last = np.minimum(row + work.rows, work.n_q) - 1 + work.shift  # key of the last row
    sees = np.clip(last + 1, 0, work.n_k)
    some = keys > 0
    assert (keys == np.maximum(-(-sees // work.cols), 1))[some].all()


def excess(*given):
    """What the most laden program has over the mean, without what no order can mend.

    A program has at least its share of blocks, rounded up, and one may be the longest.
    """
    _, (_, _, keys) = drawn(*given)
    cost = np.where(keys > 0, keys + OVERHEAD, 0)
    mean = cost.sum() / PROGRAMS
    whole = math.ceil((keys > 0).sum() / PROGRAMS) * cost[cost > 0].mean()
    return cost.sum(0).max() / max(mean, whole)


@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("n", [1024, 2048, 4096, 8192, 16384])
def test_the_measured_cells_come_out_even(n, d):
    assert excess((16384 // n, 2048 // d, n, d)) < 1.02


@pytest.mark.parametrize("heads", [16, 32, 64])
def test_crews_that_are_a_round_long_come_out_even(heads):
    """Drawn to and fro throughout, a program took up to twice the mean here."""
    for n in range(16400, 18000, 100):
        assert excess((1, heads, n, 128)) < 1.1, n


def test_other_sizes_come_out_even():
    random = np.random.default_rng(0)
    found = []
    for _ in range(150):
        d, group = random.choice([64, 128]), random.choice([1, 1, 2, 4, 8])
        n, total = random.integers(500, 24000), random.integers(8, 300) * group
        if 4 * PROGRAMS <= total * n // 128 <= 20000:
            shape = tuple(map(int, (1, total, n, d)))
            found.append(excess(shape, int(group)))
    assert len(found) > 50 and np.mean(found) < 1.015 and max(found) < 1.2
