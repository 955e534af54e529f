"""torch.autograd.gradcheck: numerical derivatives against ours, by small tiles."""

import math

import pytest
import torch
from torch.autograd import gradcheck

from tilewise import FlashAttention, flash_attention, scaled_dot_product_attention
from tilewise.attention import passes

from .._oracle import CAUSALS


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(passes, "tile_sizes", lambda q: (2, 3))


def inputs(heads=(2, 2), n_q=4, n_k=5, d_v=2):
    torch.manual_seed(0)
    q, k = torch.randn(1, heads[0], n_q, 3), torch.randn(1, heads[1], n_k, 3)
    v = torch.randn(1, heads[1], n_k, d_v)
    return [x.double().requires_grad_() for x in (q, k, v)]


@pytest.mark.few(3)
@pytest.mark.parametrize("heads", [(2, 2), (4, 2), (2, 1)])
@pytest.mark.parametrize("causal", CAUSALS)
def test_flash_attention(causal, heads):
    for n_q, n_k in ((4, 5), (5, 3)):
        hidden = max(0, n_q - n_k) if causal is True else 0  # L = −∞ has no derivative

        def f(*x, hidden=hidden):
            o, lse = flash_attention(*x, causal=causal, scale=0.8, return_lse=True)
            return o, lse[..., hidden:]

        assert gradcheck(f, inputs(heads, n_q, n_k))


def masks():
    torch.manual_seed(1)
    bits = torch.ones(4, 5, dtype=torch.bool).tril(1)
    bits[2] = False  # a row that sees no key
    floats = torch.randn(2, 4, 5).double().masked_fill(~bits, -math.inf)
    return {
        "bools": bits,
        "some keys": bits[:1],
        "floats": floats,
        "by key": torch.randn(1, 5).double(),
        "by row": torch.randn(2, 4, 1).double(),
    }


@pytest.mark.few(3)
@pytest.mark.parametrize("name", masks())
@pytest.mark.parametrize("dropout_p", [0.0, 0.4])
def test_sdpa_with_masks_their_own_gradient_and_dropout(name, dropout_p):
    mask = masks()[name]
    floats = mask.is_floating_point() and mask > -math.inf
    free = [mask[floats].requires_grad_()] if mask.is_floating_point() else []

    def f(q, k, v, *free):
        full = mask
        if free:
            full = mask.masked_scatter(floats, *free)
        torch.manual_seed(7)
        return scaled_dot_product_attention(q, k, v, full, dropout_p)

    assert gradcheck(f, [*inputs(), *free])


def test_sdpa_causal_broadcast_and_shared_heads():
    q, k, v = inputs((4, 2))
    assert gradcheck(
        lambda *x: scaled_dot_product_attention(*x, is_causal=True, enable_gqa=True),
        (q, k[0], v),
    )


def test_module():
    torch.manual_seed(0)
    module = FlashAttention(4, 2, num_kv_heads=1, causal=True, dtype=torch.float64)
    x, context = torch.randn(1, 3, 4).double(), torch.randn(1, 5, 4).double()
    names, weights = zip(*module.named_parameters(), strict=True)

    def f(x, context, *weights):
        state = dict(zip(names, weights, strict=True))
        return torch.func.functional_call(module, state, (x, context))

    tensors = [t.detach().requires_grad_() for t in (x, context, *weights)]
    assert gradcheck(f, tensors)
