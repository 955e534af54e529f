"""Decoding on a GPU: against float64, the dispatched call, lengths left on the card."""

import pytest
import torch

import tilewise
from tilewise.kernels import decode

from .._decoding import draw, exact
from ..kernels._decode import DRAWS, hold

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DTYPES = torch.bfloat16, torch.float16, torch.float32


@pytest.mark.parametrize("i", range(DRAWS))
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda x: str(x)[6:])
def test_small_against_float64(dtype, i):
    hold(i, dtype, "cuda", tiles=None)


@pytest.mark.parametrize("i", range(12))
def test_longer_against_float64(i):
    hold(i, torch.bfloat16, "cuda", tiles=None, most=1100)


@pytest.mark.parametrize("splits", [None, 1, 7, 132])
def test_a_long_cache_is_plain_attention(splits):
    q, k, v = (torch.randn(2, h, n, 128, device="cuda").bfloat16()
               for h, n in ((32, 1), (8, 40_000), (8, 40_000)))  # fmt: skip
    lengths = torch.tensor([40_000, 12_345], device="cuda")
    found = tilewise.flash_decode(q, k, v, lengths, splits=splits)
    for b, n in enumerate(lengths.tolist()):
        kh, vh = (x[b : b + 1, :, :n].repeat_interleave(4, 1) for x in (k, v))
        wide = [x.double() for x in (q[b : b + 1], kh, vh)]
        true = torch.nn.functional.scaled_dot_product_attention(*wide)
        plain = torch.nn.functional.scaled_dot_product_attention(q[b : b + 1], kh, vh)
        allowed = 2 * (plain - true).abs().max() + true.abs().max() * 2**-7
        assert (found[b] - true[0]).abs().max() < allowed


def test_the_front_takes_the_kernel_and_does_not_wait_for_the_card():
    q, k, v, seqlens, options = draw(7, torch.bfloat16, "cuda")
    o = tilewise.flash_decode(q, k, v, seqlens, **options)
    assert torch.equal(o, decode.forward(q, k, v, seqlens, **options)[0])
    with torch.cuda.device(q.device):
        torch.cuda.set_sync_debug_mode("error")
        try:
            tilewise.flash_decode(q, k, v, seqlens, **options)
        finally:
            torch.cuda.set_sync_debug_mode("default")


def test_one_graph_serves_growing_lengths():
    q, k = torch.randn(1, 8, 1, 64, device="cuda"), torch.randn(1, 2, 512, 64).cuda()
    n = torch.tensor([3], device="cuda")
    tilewise.flash_decode(q, k, k, n, splits=4)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        o = tilewise.flash_decode(q, k, k, n, splits=4)
    for length in (1, 100, 512):
        n.fill_(length)
        graph.replay()
        options = {"scale": None, "softcap": None}
        true, _ = exact(q, k, k, n, options)
        assert (o - true).abs().max() < 1e-4
