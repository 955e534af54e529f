"""The two forward passes to paste: right for odd sizes, as short as the pages say."""

import re

import pytest
import torch
from repository import ROOT

from tilewise.examples.algorithm_1 import algorithm_1
from tilewise.examples.quickstart import flash_attention

SOURCE = ROOT / "src/tilewise/examples/quickstart.py"
PAGES = [
    "en/index.md",
    "en/start/quickstart.md",
    "zh/index.md",
    "zh/start/quickstart.md",
]


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


@pytest.mark.parametrize("page", PAGES)
def test_its_length_is_the_stated_one(page):
    lines = len(SOURCE.read_text("utf-8").splitlines())
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert lines < 40
    assert re.findall(r"(\d+) (?:lines of PyTorch|行 PyTorch)", text) == [str(lines)]
