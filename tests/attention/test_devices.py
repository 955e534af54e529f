"""What is made on the way is on the inputs' device, tried on one that has no memory."""

import pytest
import torch

from tilewise import masks
from tilewise.dropout import keep_factors
from tilewise.ring import zigzag
from tilewise.standard import standard_backward, standard_forward

META = torch.device("meta")
ROWS = torch.empty(3, 1, dtype=torch.int64, device=META)
COLS = torch.empty(4, dtype=torch.int64, device=META)
SPANS = {
    "causal": masks.causal(6, 6),
    "window": masks.window(6, 6, 2),
    "padding": masks.key_padding([2, 3]),
    "documents": masks.documents([4, 2]),
}


@pytest.mark.parametrize("name", SPANS)
def test_masks(name):
    ends = [x for x in SPANS[name](ROWS) if torch.is_tensor(x)]
    assert ends and all(x.device == META for x in ends)
    for first in masks.intersect(SPANS[name], SPANS["causal"])(ROWS):
        assert first.device == META
    assert masks.tile_mask(SPANS[name])(ROWS, COLS).device == META


def test_dropout():
    assert keep_factors(0.5, 1, 2, 3)(ROWS, COLS).device == META


@pytest.mark.parametrize("causal", [False, True, "top-left"])
def test_standard_attention(causal):
    q, k = (torch.empty(2, n, 8, device=META) for n in (5, 6))
    o, p = standard_forward(q, k, k, causal=causal)
    assert o.device == p.device == META
    assert all(x.device == META for x in standard_backward(q, k, k, p, o))


def test_zigzag(monkeypatch):
    assert zigzag.positions(8, 0, 2, device=META).device == META
    real, asked = zigzag.positions, []

    def watched(*given, device=None):
        asked.append(device)
        return real(*given, device=device)

    monkeypatch.setattr(zigzag, "positions", watched)
    share = zigzag.zigzag(torch.empty(1, 8, 2, device=META), 0, 2)
    assert zigzag.unzigzag([share, share]).shape == (1, 8, 2)
    assert asked == [META] * 3
