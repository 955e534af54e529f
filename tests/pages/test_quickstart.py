"""The two forward passes to paste: right for odd sizes, and short."""

import pytest
import torch
from repository import ROOT

from tilewise.examples.algorithm_1 import algorithm_1
from tilewise.examples.quickstart import flash_attention

SOURCE = ROOT / "src/tilewise/examples/quickstart.py"


@pytest.mark.few(8)
@pytest.mark.parametrize("attention", [flash_attention, algorithm_1])
@pytest.mark.parametrize("n, d", [(1, 1), (63, 5), (64, 16), (97, 33), (130, 64)])
@pytest.mark.parametrize("blocks", [(64, 64), (1, 1), (7, 200), (200, 3)])
def test_equals_float64_attention(attention, n, d, blocks):
    torch.manual_seed(n + d)
    q, k, v = torch.randn(3, 2, 3, n, d)
    exact = torch.softmax(d**-0.5 * q.double() @ k.double().mT, -1) @ v.double()
    plain = torch.softmax(d**-0.5 * q @ k.mT, -1) @ v
    error = (attention(q, k, v, *blocks) - exact).abs().max()
    floor = torch.finfo(torch.float32).eps * v.abs().max()  # plain may be exact
    assert error <= 2 * (plain - exact).abs().max() + floor


def test_the_listing_is_short():
    """Its length is on two pages, which take it from the file."""
    assert len(SOURCE.read_text("utf-8").splitlines()) < 40
