"""Windows, blocks, score rules, sinks, dropout on a GPU, against float64."""

import pytest
import torch

from tilewise import flash_attention, kernels
from tilewise.block_sparse import tiles_mask

from ..kernels._backward import poisoned
from ..kernels._options import ALONE, DRAWS, draw, hold

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DTYPES = torch.bfloat16, torch.float16, torch.float32


@pytest.mark.parametrize("i", range(len(ALONE) + DRAWS))
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda x: str(x)[6:])
def test_small_against_float64(dtype, i):
    hold(i, dtype, "cuda", tiles=None)


@pytest.mark.parametrize("i", range(len(ALONE) + 12))
def test_against_float64(i):
    hold(i, torch.bfloat16, "cuda", tiles=None, most=1100)


def test_twenty_times_the_same_bits():
    (q, k, v, do, dlse), options = draw(11, torch.bfloat16, "cuda", most=1500)
    first = None
    for _ in range(20):
        with poisoned():
            o, lse = kernels.scores.forward(q, k, v, **options)
            found = kernels.scores_backward.backward(
                q, k, v, o, do, lse, dlse=dlse, **options
            )
        found = [o, lse, *(x for x in found if x is not None)]
        first = first or found
        assert all(torch.equal(*pair) for pair in zip(first, found))


def test_a_block_mask_in_a_graph():
    """Its lists are made without asking the GPU anything, so a graph can capture it."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 1000, 64, dtype=torch.bfloat16, device="cuda")
    tiles = torch.rand(4, 20, 20, device="cuda") < 0.3
    mask = tiles_mask(tiles, 50, 50, 1000, 1000)
    expected = flash_attention(q, k, v, causal=True, block_mask=mask)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        o = flash_attention(q, k, v, causal=True, block_mask=mask)
    for x in (q, k, v):
        x.neg_()
    graph.replay()
    assert torch.equal(o, -expected)  # q kᵀ is what it was, and v is not


def test_few_tiles_take_little_time():
    """An eighth of the tiles takes less than a third of the time of all of them."""
    n, times = 16384, []
    q, k, v = torch.randn(3, 1, 8, n, 128, dtype=torch.bfloat16, device="cuda")
    at = torch.arange(n // 128, device="cuda")
    for step in (1, 8):
        tiles = (at[:, None] + at) % step == 0
        mask = tiles_mask(tiles, 128, 128, n, n)
        for _ in range(3):
            flash_attention(q, k, v, block_mask=mask)
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(10):
            flash_attention(q, k, v, block_mask=mask)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    assert times[1] < times[0] / 3, times
