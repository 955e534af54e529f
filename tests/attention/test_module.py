"""FlashAttention, the module: against torch.nn.MultiheadAttention, its state, modes."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tilewise import FlashAttention, flash_attention, scaled_dot_product_attention

TINY = {"rtol": 0, "atol": 1e-10}


def twins(bias=True, **options):
    """Ours and PyTorch's with the same weights, in float64."""
    torch.manual_seed(0)
    ours = FlashAttention(12, 3, bias=bias, dtype=torch.float64, **options)
    theirs = nn.MultiheadAttention(12, 3, bias=bias, batch_first=True).double()
    with torch.no_grad():
        stacked = [ours.q_proj, ours.k_proj, ours.v_proj]
        theirs.in_proj_weight.copy_(torch.cat([x.weight for x in stacked]))
        theirs.out_proj.weight.copy_(ours.o_proj.weight)
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([x.bias for x in stacked]))
            theirs.out_proj.bias.copy_(ours.o_proj.bias)
    return ours, theirs


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("cross", [True, False])
def test_equals_multihead_attention(bias, cross):
    ours, theirs = twins(bias)
    x, context = (torch.randn(2, n, 12).double().requires_grad_() for n in (5, 7))
    context = context if cross else x
    padding = torch.arange(context.shape[1]) >= torch.tensor([[3], [4]])  # True: hidden
    for hidden in (None, padding):
        mask = None if hidden is None else ~hidden[:, None, None]
        o = ours(x, context if cross else None, mask)
        expected, _ = theirs(x, context, context, key_padding_mask=hidden)
        assert_close(o, expected, **TINY)
        do = torch.randn_like(o)
        grads = torch.autograd.grad(o, [x, ours.k_proj.weight, ours.o_proj.weight], do)
        weights = [x, theirs.in_proj_weight, theirs.out_proj.weight]
        dx, d_in, d_out = torch.autograd.grad(expected, weights, do)
        assert_close(grads, (dx, d_in[12:24], d_out), **TINY)


def test_causal_sees_the_past_only_and_masks_apply_beside_it():
    ours, theirs = twins(causal=True)
    x = torch.randn(2, 6, 12).double()
    future = torch.ones(6, 6, dtype=torch.bool).triu(1)
    expected, _ = theirs(x, x, x, attn_mask=future)
    assert_close(ours(x), expected, **TINY)
    bits = torch.rand(6, 6) < 0.5
    bits.fill_diagonal_(True)
    expected, _ = theirs(x, x, x, attn_mask=future | ~bits)
    assert_close(ours(x, attn_mask=bits), expected, **TINY)
    alone = ours(x[:, -1:], x)  # bottom-right: the last row, as when decoding
    assert_close(alone, ours(x)[:, -1:], **TINY)


def test_shared_heads_are_repeated_heads():
    torch.manual_seed(1)
    few = FlashAttention(12, 6, num_kv_heads=2, dtype=torch.float64)
    many = FlashAttention(12, 6, dtype=torch.float64)
    state = few.state_dict()
    for name in ("k_proj.weight", "k_proj.bias", "v_proj.weight", "v_proj.bias"):
        heads = state[name].unflatten(0, (2, 2))
        state[name] = heads.repeat_interleave(3, 0).flatten(0, 1)
    many.load_state_dict(state)
    x = torch.randn(2, 5, 12).double()
    assert_close(few(x), many(x), **TINY)


def test_state_and_description():
    module = FlashAttention(12, 6, num_kv_heads=2, bias=False, dropout=0.1)
    shapes = {name: tuple(x.shape) for name, x in module.state_dict().items()}
    assert shapes == {
        "q_proj.weight": (12, 12),
        "k_proj.weight": (4, 12),
        "v_proj.weight": (4, 12),
        "o_proj.weight": (12, 12),
    }
    line = "12, 6, num_kv_heads=2, dropout=0.1, causal=False"
    assert repr(module).startswith(f"FlashAttention(\n  {line}\n")
    half = FlashAttention(8, 2, dtype=torch.bfloat16)
    assert half(torch.ones(1, 3, 8).bfloat16()).dtype == torch.bfloat16
    assert FlashAttention(8, 2, device="meta").q_proj.weight.is_meta


def test_options_reach_the_function_and_sinks_learn():
    torch.manual_seed(0)
    how = {"causal": True, "window": (2, 0), "softcap": 1.5}
    layer = FlashAttention(24, 4, num_kv_heads=2, alibi=True, sinks=True, **how)
    torch.nn.init.normal_(layer.sinks)
    x = torch.randn(2, 7, 24)
    q, k, v = (
        y(x).unflatten(-1, (-1, 6)).transpose(1, 2)
        for y in (layer.q_proj, layer.k_proj, layer.v_proj)
    )
    slopes = torch.tensor([1 / 4, 1 / 16, 1 / 64, 1 / 256])  # of ALiBi's paper
    how |= {"alibi_slopes": slopes, "sinks": layer.sinks}
    o = flash_attention(q, k, v, **how)
    expected = layer.o_proj(o.transpose(1, 2).flatten(2))
    assert_close(layer(x), expected)
    layer(x).sum().backward()
    assert layer.sinks.grad.abs().min() > 0
    assert "window=(2, 0), softcap=1.5, alibi=True, sinks=True" in repr(layer)
    assert "sinks" in layer.state_dict() and "alibi_slopes" not in layer.state_dict()


def test_dropout_in_training_only():
    module = FlashAttention(8, 2, dropout=0.5)
    x = torch.randn(2, 20, 8)
    torch.manual_seed(2)
    a = module(x)
    torch.manual_seed(2)
    assert torch.equal(module(x), a) and not torch.allclose(module(x), a)
    module.eval()
    q, k, v = (
        f(x).unflatten(-1, (2, 4)).transpose(1, 2)
        for f in (module.q_proj, module.k_proj, module.v_proj)
    )
    o = scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
    assert torch.equal(module(x), module.o_proj(o))


def test_learns():
    torch.manual_seed(3)
    module = FlashAttention(16, 2, causal=True)
    x = torch.randn(4, 10, 16)
    target = torch.cat([torch.zeros(4, 1, 16), x[:, :-1]], 1)  # the row before
    place = torch.eye(10, 16).expand(4, 10, 16)
    optimizer = torch.optim.Adam(module.parameters(), 0.02)
    losses = []
    for _ in range(60):
        loss = (module(x + 2 * place) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 3


@pytest.mark.parametrize(
    "change, message",
    [
        ({"embed_dim": 10}, "num_heads must divide embed_dim = 10, not 4"),
        ({"num_kv_heads": 3}, "num_kv_heads must divide num_heads = 4, not 3"),
        ({"num_kv_heads": 0}, "num_kv_heads must be a whole number of at least 1"),
        ({"num_heads": 2.0}, "num_heads must be a whole number .* not 2.0"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1, not 1.0"),
        ({"dropout": math.nan}, "dropout must be at least 0 and below 1, not nan"),
        ({"window": (1,)}, r"window must be None or \(left, right\)"),
        ({"softcap": -1.0}, "softcap must be a finite number above 0, not -1.0"),
        ({"causal": "left"}, "causal must be False, True or 'top-left', not 'left'"),
    ],
)
def test_what_cannot_be_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        FlashAttention(**{"embed_dim": 16, "num_heads": 4} | change)


@pytest.mark.parametrize(
    "x, context, message",
    [
        ((5, 16), None, r"x must be .*, not \(5, 16\)"),
        ((2, 5, 8), None, r"x must be \(2, N, 16\), not \(2, 5, 8\)"),
        ((2, 5, 16), (3, 5, 16), r"context must be \(2, N, 16\), not \(3, 5, 16\)"),
    ],
)
def test_inputs_that_do_not_fit_are_named(x, context, message):
    context = None if context is None else torch.ones(context)
    with pytest.raises(ValueError, match=message):
        FlashAttention(16, 4)(torch.ones(x), context)
