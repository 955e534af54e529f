"""Packed rows: each field by its definition, and everything comes back in order."""

import random

import pytest
import torch
from torch.testing import assert_close

from tilewise import packing
from tilewise.packing import IGNORE, collate, in_order, pack, row, split, unpack

FIELDS = ["tokens", "labels", "positions", "documents", "cu_seqlens", "index", "start"]


def draw(seed, size=16, longest=16):
    """Random documents, each token another number."""
    rng, first, made = random.Random(seed), 1000, []
    for _ in range(rng.randint(1, 30)):
        n = rng.randint(1, longest)
        made.append(torch.arange(first, first + n))
        first += n
    return made, size


def plain(documents, size, pad):
    """A row of whole documents [(index, tokens)], token by token."""
    fields = {name: [] for name in FIELDS}
    fields["cu_seqlens"] = [0]
    room = size - sum(len(x) for _, x in documents)
    if pad is not None and room:
        documents = [*documents, (-1, [pad] * room)]
    for number, (index, x) in enumerate(documents):
        for at in range(len(x)):
            last = at + 1 == len(x) or index < 0
            fields["tokens"].append(int(x[at]))
            fields["labels"].append(IGNORE if last else int(x[at + 1]))
            fields["positions"].append(at)
            fields["documents"].append(number)
        fields["cu_seqlens"].append(len(fields["tokens"]))
        fields["index"].append(index)
        fields["start"].append(0)
    return fields


@pytest.mark.parametrize("pad", [None, 0, 7])
def test_every_field_of_every_row(pad):
    for seed in range(50):
        documents, size = draw(seed)
        for packed in pack(documents, size, pad=pad):
            there = [(i, documents[i]) for i in packed["index"].tolist() if i >= 0]
            expected = plain(there, size, pad)
            assert list(packed) == FIELDS
            assert {k: x.tolist() for k, x in packed.items()} == expected
            assert len(packed["tokens"]) == size or pad is None
            kinds = {k: x.dtype for k, x in packed.items()}
            assert kinds.pop("cu_seqlens") == torch.int32
            assert {*kinds.values()} == {torch.int64}


def test_labels_that_are_none_are_left_out_of_the_loss():
    """By PyTorch's cross-entropy as it is, without a word on which label that is."""
    scores = torch.tensor([[2.0, -1.0], [0.5, 0.0]])  # (T, words)
    loss = torch.nn.functional.cross_entropy
    both, one = torch.tensor([0, IGNORE]), torch.tensor([0])
    assert torch.equal(loss(scores, both), loss(scores[:1], one))


@pytest.mark.parametrize("pad", [None, 7])
@pytest.mark.parametrize("longest, cut", [(16, False), (50, True)])
def test_unpack_restores_documents_and_their_order(pad, longest, cut):
    for seed in range(50):
        documents, size = draw(seed, longest=longest)
        rows = pack(documents, size, cut=cut, pad=pad)
        random.Random(seed).shuffle(rows)
        back = unpack([x["tokens"] for x in rows], rows)
        assert [*back] == [*range(len(documents))]
        assert all(map(torch.equal, back.values(), documents))
        wide = [torch.stack([x["tokens"]] * 3, -1) for x in rows]  # (T, 3)
        assert all(
            x.shape == (len(y), 3)
            for x, y in zip(unpack(wide, rows).values(), documents)
        )


def test_no_label_is_lost_at_a_cut():
    """Every token but each document's last has the next one, wherever rows end."""
    for seed in range(50):
        documents, size = draw(seed, longest=50)
        rows = pack(documents, size, cut=True, bins=in_order)
        labels = unpack([x["labels"] for x in rows], rows)
        for document, found in zip(documents, labels.values(), strict=True):
            assert found.tolist() == [*document[1:].tolist(), IGNORE]


def test_a_cut_part_starts_anew():
    (first, second) = pack([torch.arange(10)], 8, cut=True)
    assert second["positions"].tolist() == [0, 1] and second["start"].tolist() == [8]
    assert first["labels"][-1] == 8 and second["labels"].tolist() == [9, IGNORE]


def test_collated_rows_are_one_row():
    for seed in range(30):
        documents, size = draw(seed)
        for pad in (None, 0):
            rows = pack(documents, size, pad=pad)
            found = collate(rows)
            parts = [
                x
                for y in rows
                for x in zip(
                    y["tokens"].split(y["cu_seqlens"].diff().tolist()),
                    y["labels"].split(y["cu_seqlens"].diff().tolist()),
                    y["index"].tolist(),
                    y["start"].tolist(),
                    strict=True,
                )
            ]
            expected = row(parts, size * len(rows))
            assert list(found) == FIELDS
            assert all(torch.equal(found[k], expected[k]) for k in FIELDS)
            assert {k: x.dtype for k, x in found.items()} == {
                k: x.dtype for k, x in expected.items()
            }
            back = unpack([found["tokens"]], [found])
            assert all(map(torch.equal, back.values(), documents))


def test_gradients_flow_through_unpack():
    rows = pack([torch.arange(5), torch.arange(3), torch.arange(4)], 8)
    x = [torch.randn(len(r["tokens"]), requires_grad=True) for r in rows]
    back = unpack(x, rows)
    (2 * back[1].sum()).backward()
    for values, packed in zip(x, rows):
        mine = packed["index"][packed["documents"]] == 1
        grad = torch.zeros(len(mine)) if values.grad is None else values.grad
        assert_close(grad, 2.0 * mine)


def test_documents_may_be_lists_and_small_integers():
    lists = [[5, 6, 7], [8, 9]]
    expected = pack([torch.tensor(x) for x in lists], 4)
    for made in (lists, [torch.tensor(x, dtype=torch.uint8) for x in lists]):
        for x, y in zip(pack(made, 4), expected, strict=True):
            assert all(torch.equal(x[k], y[k]) for k in FIELDS)
    assert pack([], 4) == []


def test_all_names_of_the_package_are_there():
    there = {x for x in vars(packing) if not x.startswith("_")}
    assert {*packing.__all__} == there - {"bins", "rows", "stream"}


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match=r"document 1 must be \(n,\).*not \(0,\)"):
        pack([[1], []], 4)
    with pytest.raises(ValueError, match=r"document 0 must be .* not \(1, 2\)"):
        pack([[[1, 2]]], 4)
    with pytest.raises(ValueError, match="document 1 has 5 tokens, a row 4: cut=True"):
        pack([[1], [1] * 5], 4)
    for x in ([0.5], [True], [1j]):
        with pytest.raises(TypeError, match="document 0 must be whole numbers"):
            pack([x], 4)
    with pytest.raises(ValueError, match="at least one part"):
        row([], 4)
    with pytest.raises(ValueError, match="at most 4 tokens, not 5"):
        row(split([1] * 5, 0, 8), 4)
    with pytest.raises(ValueError, match="at least one row"):
        collate([])
    (packed,) = pack([[1, 2]], 4)
    for x in (torch.zeros(3), torch.zeros(())):
        with pytest.raises(ValueError, match=r"values must be \(2, ...\) here"):
            unpack([x], [packed])
    with pytest.raises(ValueError, match="zip"):
        unpack([], [packed])
