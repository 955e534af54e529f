"""A model on packed rows: no leak, to the bit, and the loss of documents one by one."""

import random

import pytest
import torch
from torch.nn import functional as F

from tilewise import flash_attention_varlen
from tilewise.examples.packing_model import VOCABULARY, Model, draw, loss
from tilewise.packing import collate, in_order, pack, unpack

CAUSAL = pytest.mark.parametrize("causal", [False, True])
ROTARY = pytest.mark.parametrize("rotary", [False, True])


def some(seed):
    """Documents of random lengths, and a model."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    lengths = [rng.randint(1, 40) for _ in range(rng.randint(2, 12))]
    return [torch.randint(VOCABULARY, (n,)) for n in lengths], rng


def felt(model, row):
    """Logits, and what each embedded token gets back from the sum of squares."""
    kept = []
    hook = model.token.register_forward_hook(lambda *call: kept.append(call[2]))
    logits = model(row["tokens"], row["positions"], row["cu_seqlens"])
    hook.remove()
    (grad,) = torch.autograd.grad(logits.square().sum(), kept)
    return unpack([logits], [row]), unpack([grad], [row])


@ROTARY
def test_one_document_changes_no_bit_of_another(rotary):
    for seed in range(10):
        documents, rng = some(seed)
        model = Model(rotary)
        other, at = [*documents], rng.randrange(len(documents))
        other[at] = (other[at] + 1) % VOCABULARY
        for bins in ({}, {"bins": in_order}):
            rows = [collate(pack(x, 40, pad=0, **bins)) for x in (documents, other)]
            for a, b in zip(*(felt(model, row) for row in rows)):
                same = [i for i in a if torch.equal(a[i], b[i])]
                assert same == [i for i in range(len(documents)) if i != at]


@CAUSAL
def test_attention_feels_no_other_documents_length_order_or_company(causal):
    """The same bits alone, behind others, and with other documents behind it."""
    torch.manual_seed(0)
    ours = torch.randn(3, 37, 2, 16)

    def run(before, after):
        parts = [torch.randn(3, n, 2, 16) for n in before]
        behind = [torch.randn(3, n, 2, 16) for n in after]
        q, k, v = (torch.cat([*parts, ours, *behind], 1)).requires_grad_()
        lengths = torch.tensor([*before, 37, *after])
        cu = F.pad(lengths.cumsum(0), (1, 0)).int()
        o = flash_attention_varlen(q, k, v, cu, cu, causal=causal)
        grads = torch.autograd.grad(o.sin().sum(), [q, k, v])
        here = slice(sum(before), sum(before) + 37)
        return [x[here] for x in (o, *grads)]

    alone = run([], [])
    for case in (([5], []), ([], [90]), ([1, 70, 3], [2]), ([129], [64, 1])):
        assert all(map(torch.equal, run(*case), alone))


@ROTARY
def test_the_loss_is_that_of_the_documents_one_by_one(rotary):
    """And so are its gradients; in float64, to its rounding."""
    for seed in range(6):
        documents, _ = some(seed)
        documents.append(torch.tensor([1, 2, 3]))  # some label there is
        model = Model(rotary).double()
        weights = [x for x in model.parameters() if x is not model.place.weight]
        packed = [loss(model, collate(pack(documents, n, pad=0))) for n in (40, 64)]
        total, count = 0, 0
        for x in documents:
            if len(x) > 1:
                logits = model(x, torch.arange(len(x)), torch.tensor([0, len(x)]))
                total = total + F.cross_entropy(logits[:-1], x[1:], reduction="sum")
                count += len(x) - 1
        alone = total / count
        expected = torch.autograd.grad(alone, weights)
        for value in packed:
            assert abs(value - alone) < 1e-12
            for x, y in zip(torch.autograd.grad(value, weights), expected):
                assert (x - y).abs().max() < 1e-12


def test_documents_without_tokens_at_the_end_change_nothing():
    """cu_seqlens of one length, its last entry repeated."""
    torch.manual_seed(0)
    model, row = Model(), collate(pack(draw(), 16))
    cu = F.pad(row["cu_seqlens"], (0, 5), value=len(row["tokens"]))
    assert torch.equal(loss(model, row), loss(model, row | {"cu_seqlens": cu}))


def test_mistakes_are_felt():
    """The tests above would fail: borders left out, positions that run on."""
    torch.manual_seed(0)
    model, documents = Model().double(), draw()
    row = collate(pack(documents, 16))
    exact = loss(model, row)
    total = len(row["tokens"])
    for wrong in (
        {"cu_seqlens": torch.tensor([0, total])},
        {"positions": torch.arange(total)},
    ):
        assert abs(loss(model, row | wrong) - exact) > 0.01
    turned = Model(rotary=True).double()
    a, b = (loss(turned, row | x) for x in ({}, {"positions": torch.arange(total)}))
    assert abs(a - b) < 1e-12  # RoPE: scores depend on differences alone
