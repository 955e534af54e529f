"""What holds for the passes in PyTorch, whatever the shapes, blocks and masks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from tilewise import flash_attention
from tilewise.flash1 import flash1_backward, flash1_forward
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.merge import split_forward
from tilewise.standard import standard_backward, standard_forward

from .._oracle import reference
from ._draw import CAUSAL, tensors

BLOCK = st.integers(1, 24)
SCALE = st.sampled_from([None, 0.3, -0.5])


def near(found, right):
    torch.testing.assert_close(found, right, rtol=1e-9, atol=1e-9)


def shared(k, heads):
    """k or v with a head for every head of q."""
    return k.repeat_interleave(heads // k.shape[1], 1)


def truth(q, k, v, do, **options):
    """(o, lse, dq, dk, dv) by autograd through the formula."""
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    whole = leaves[0], *(shared(x, q.shape[1]) for x in leaves[1:])
    o, lse = reference(*whole, **options)
    return o.detach(), lse.detach(), *torch.autograd.grad(o, leaves, do)


@given(tensors(), BLOCK, BLOCK, CAUSAL, SCALE)
def test_both_orders_are_the_formula_forward_and_backward(x, rows, cols, causal, scale):
    *qkv, do = x
    how = {"causal": causal, "scale": scale}
    o, lse, *grads = truth(*x, **how)
    found, m, l = flash1_forward(*qkv, rows, cols, **how)
    near(found, o)
    near(m + l.log(), lse)
    for x, y in zip(flash1_backward(*qkv, found, do, m, l, cols, rows, **how), grads):
        near(x, y)
    found, total = flash2_forward(*qkv, cols, rows, **how)
    near(found, o)
    near(total, lse)
    for x, y in zip(flash2_backward(*qkv, found, do, total, rows, cols, **how), grads):
        near(x, y)


@given(tensors(), CAUSAL, SCALE)
def test_standard_attention_is_the_formula(x, causal, scale):
    q, k, v, do = x
    k, v = shared(k, q.shape[1]), shared(v, q.shape[1])
    o, _, *grads = truth(q, k, v, do, causal=causal, scale=scale)
    found, p = standard_forward(q, k, v, causal=causal, scale=scale)
    near(found, o)
    for x, y in zip(standard_backward(q, k, v, p, do, scale=scale), grads):
        near(x, y)


@given(tensors(), st.integers(1, 6), CAUSAL)
def test_keys_split_anywhere_merge_to_the_whole(x, parts, causal):
    *qkv, _ = x
    o, lse = flash2_forward(*qkv, 5, 3, causal=causal)
    found, total = split_forward(*qkv, parts, 4, 2, causal=causal)
    near(found, o)
    near(total, lse)


@given(tensors(dtype=torch.float32), CAUSAL, st.data())
def test_later_keys_move_no_earlier_row(x, causal, data):
    """What a causal mask hides may be any number, forward and backward."""
    q, k, v, do = x
    n = min(q.shape[2], k.shape[2])
    q, do, k, v = q[:, :, :n], do[:, :, :n], k[:, :, :n], v[:, :, :n]
    cut = data.draw(st.integers(0, n))
    results = []
    for more in (0, 100.0):
        leaves = [x.clone().requires_grad_() for x in (q, k, v)]
        for x in leaves[1:]:
            x.data[:, :, cut:] += more
        o = flash_attention(*leaves, causal=causal or True)
        o = o[:, :, :cut]
        dq = torch.autograd.grad(o, leaves[0], do[:, :, :cut], allow_unused=True)[0]
        results.append((o.detach(), dq[:, :, :cut]))
    assert all(map(torch.equal, *results))
