"""The backward rungs on a GPU: against float64, all dtypes, the same bits."""

import pytest
import torch

from ..kernels._backward import CASES, RUNGS, hold, poisoned, rung, tensors

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DTYPES = torch.bfloat16, torch.float16, torch.float32
MORE = [  # batch, heads, key heads, N_q, N_k, d, causal
    (2, 3, 1, 1000, 1000, 128, True),
    (1, 4, 2, 700, 1030, 64, True),
    (1, 4, 4, 1030, 700, 128, True),
    (1, 2, 2, 513, 257, 64, "top-left"),
    (1, 2, 1, 384, 512, 80, False),
    (1, 2, 2, 300, 200, 96, True),
    (1, 2, 1, 260, 260, 256, True),
    (1, 2, 2, 1024, 1024, 32, False),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda x: str(x)[6:])
@pytest.mark.parametrize("name", RUNGS)
def test_small_against_float64(name, dtype, case):
    hold(rung(name).backward, case, dtype, device="cuda", dlse=case[3] % 2 == 0)


@pytest.mark.parametrize("case", MORE, ids=str)
@pytest.mark.parametrize("dtype", DTYPES[:2], ids=lambda x: str(x)[6:])
@pytest.mark.parametrize("name", RUNGS)
def test_against_float64(name, dtype, case):
    hold(rung(name).backward, case, dtype, device="cuda", dlse=case[3] % 2 == 0)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("name", RUNGS)
def test_twenty_times_the_same_bits(name, d, causal):
    q, k, v, do, lse = tensors((2, 8, 4, 1024, 1024, d, 0), torch.bfloat16, "cuda")
    first = None
    for _ in range(20):
        with poisoned():
            found = rung(name).backward(q, k, v, q, do, lse + 9, causal=causal)
        assert all(x.isfinite().all() for x in found)
        first = first or found
        assert all(torch.equal(*pair) for pair in zip(first, found))


@pytest.mark.parametrize("name", RUNGS)
def test_more_heads_than_a_grid_axis_has(name):
    case = 2, 40_000, 40_000, 16, 16, 16, True
    hold(rung(name).backward, case, torch.bfloat16, device="cuda")


@pytest.mark.parametrize("name", RUNGS)
def test_past_two_to_the_31_elements(name):
    """A head's rows lie 2²¹ elements apart: the last one begins past 2³¹."""
    n, d = 1100, 64
    wide = torch.empty(n * 2**21, dtype=torch.bfloat16, device="cuda")
    q, k, v, do, row = tensors((1, 1, 1, n, n, d, True), torch.bfloat16, "cuda")
    apart = [
        wide[i * d :].as_strided(x.shape, (1, 1, 2**21, 1))
        for i, x in enumerate((q, k, v, do))
    ]
    for x, y in zip(apart, (q, k, v, do)):
        x.copy_(y)
    given = [q, q, k, k, v, v, do, do]
    one, two = (
        rung(name).backward(*tensor[:3], q, tensor[3], row + 9, causal=True)
        for tensor in (given[::2], apart)
    )
    assert all(torch.equal(*pair) for pair in zip(one, two))
