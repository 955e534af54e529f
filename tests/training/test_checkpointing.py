"""Policies change no number, dropout included, and attention is run once or twice."""

from unittest import mock

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tilewise import flash_attention
from tilewise.attention import autograd, library
from tilewise.training import checkpointing
from tilewise.training.kept import Alive, saved
from tilewise.training.transformer import ATTENTION, Block, Decoder

POLICIES = checkpointing.POLICIES


def gradients(attention="ours", policy="none", dropout=0.0, **how):
    """Logits' sum of squares and all its gradients, after the same two seeds."""
    torch.manual_seed(0)
    how |= {"attention": attention, "policy": policy, "dropout": dropout}
    model = Decoder(11, 20, 12, 3, 3, **how)
    tokens = torch.randint(11, (2, 20))
    loss = model(tokens).square().sum()
    torch.rand(7)  # between the passes others draw too
    loss.backward()
    return [loss.detach(), *(p.grad for p in model.parameters())]


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("attention", ATTENTION)
def test_every_policy_has_the_same_bits(attention, dropout):
    plain = gradients(attention, dropout=dropout)
    for policy in POLICIES[1:]:
        found = gradients(attention, policy, dropout, every=2)
        assert all(torch.equal(*pair) for pair in zip(plain, found, strict=True))
    assert all(x.abs().max() > 0 for x in plain[:-1])


def test_attentions_agree():
    """Of three ways, each within rounding of standard attention."""
    standard = gradients("standard")
    for attention in ("ours", "pytorch"):
        torch.testing.assert_close(gradients(attention), standard, rtol=1e-4, atol=1e-4)


def test_dropout_is_drawn():
    plain, dropped = gradients()[0], gradients(dropout=0.4)[0]
    assert not torch.allclose(plain, dropped)


@pytest.mark.parametrize(
    ("policy", "runs"), [("none", 1), ("mlp", 1), ("apart", 1), ("o", 1), ("block", 2)]
)
def test_how_often_attention_runs_forward(policy, runs):
    with (
        mock.patch.object(autograd, "forward", wraps=autograd.forward) as eager,
        mock.patch.object(library, "forward", wraps=library.forward) as operator,
    ):
        gradients(policy=policy)
    assert (eager.call_count, operator.call_count) == (
        (0, 3 * runs) if policy == "o" else (3 * runs, 0)
    )


def test_every_second_block():
    model = Decoder(11, 20, 12, 3, 5, policy="block", every=2)
    policies = [block.policy for block in model.blocks]
    assert policies == ["block", "none", "block", "none", "block"]
    with pytest.raises(ValueError, match="every must be a whole number of at least 1"):
        Decoder(11, 20, 12, 3, 5, every=0)


def test_without_gradients_no_policy_is_at_work():
    block = Block(12, 3, policy="block")
    with mock.patch.object(checkpointing, "again") as again, torch.no_grad():
        block(torch.ones(1, 4, 12))
    assert not again.called
    with pytest.raises(ValueError, match="policy must be one of none, .*, not 'half'"):
        Block(12, 3, policy="half")(torch.ones(1, 4, 12))


class Seen(TorchDispatchMode):
    """Names of the operators that run within."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names = [*getattr(self, "names", []), str(function)]
        return function(*args, **(kwargs or {}))


def test_a_dispatch_mode_sees_one_operator_and_others_see_none():
    q = torch.randn(1, 2, 5, 4, requires_grad=True)
    with mock.patch.object(library, "attend") as operator:
        flash_attention(q, q, q)
    assert not operator.called
    with Seen() as seen:
        flash_attention(q, q, q, causal=True).sum().backward()
    assert "tilewise.attention.default" in seen.names
    assert "tilewise.attention_backward.default" in seen.names
    assert not any(name.startswith("aten.bmm") for name in seen.names)


def test_what_is_saved_is_counted_by_storage():
    x = torch.randn(6, 5, requires_grad=True)
    w = torch.randn(5, 5, requires_grad=True)
    found = saved(lambda x: (x @ w) * (x.T @ x).exp().sum(), x, without=[w])
    assert sorted(found.values()) == [4, 4 * 25, 4 * 30, 4 * 30]  # Σ, exp, x, x w
    assert sum(saved(lambda x: x @ w, x).values()) == 4 * (25 + 30)


def test_what_is_alive_and_the_most_there_was():
    x = torch.ones(8)
    assert Alive().peak == 0
    with Alive() as alive:
        a = x + 1
        b = (a * 2).repeat(3) + 0  # 8, 24 and 24 numbers beside a
        a[2:] += 1
    assert alive.bytes() == a.nbytes + b.nbytes == 128
    assert alive.peak == 4 * (8 + 8 + 24) or alive.peak == 4 * (8 + 24 + 24)
