"""Masks: against brute force over all small shapes, composed, and bad input."""

import itertools

import pytest
import torch

from tilewise import masks

from .._oracle import hidden_mask


def whole(span, n_q, n_k):
    """The mask of the whole matrix, as one tile."""
    mask = masks.tile_mask(span)(torch.arange(n_q)[:, None], torch.arange(n_k))
    return mask.expand(*mask.shape[:-2], n_q, n_k)


def brute(n_q, n_k, rule):
    return torch.tensor([[rule(r, c) for c in range(n_k)] for r in range(n_q)])


SIZES = list(itertools.product(range(1, 7), repeat=2))


@pytest.mark.parametrize("n_q, n_k", SIZES)
def test_causal_and_window_equal_brute_force(n_q, n_k):
    for align, name in (("bottom-right", True), ("top-left", "top-left")):
        shift = n_k - n_q if name is True else 0
        found = whole(masks.causal(n_q, n_k, align), n_q, n_k)
        assert torch.equal(found, ~hidden_mask(n_q, n_k, name))
        for left, right in itertools.product((None, 0, 1, 3), repeat=2):
            low = -99 if left is None else shift - left
            high = 99 if right is None else shift + right
            expected = brute(n_q, n_k, lambda r, c: low <= c - r <= high)  # noqa: B023
            found = whole(masks.window(n_q, n_k, left, right, align), n_q, n_k)
            assert torch.equal(found, expected), (align, left, right)


def test_window_without_right_is_causal():
    for n_q, n_k in SIZES:
        wide = whole(masks.window(n_q, n_k, None), n_q, n_k)
        assert torch.equal(wide, whole(masks.causal(n_q, n_k), n_q, n_k))


def test_documents_and_padding_equal_brute_force():
    names = "aabbbbc.."  # two rows belong to no document
    found = whole(masks.documents([2, 4, 1]), 9, 9)
    expected = brute(9, 9, lambda r, c: names[r] == names[c] != ".")
    assert torch.equal(found, expected)
    found = whole(masks.key_padding([0, 2, 5]), 3, 5)
    assert found.shape == (3, 1, 3, 5)
    for b, length in enumerate((0, 2, 5)):
        assert torch.equal(found[b, 0], brute(3, 5, lambda r, c: c < length))  # noqa: B023


def every_span(n_q, n_k):
    """Masks of all kinds for one shape, and what pairs of them share."""
    spans = [masks.causal(n_q, n_k), masks.causal(n_q, n_k, "top-left")]
    spans += [masks.window(n_q, n_k, *w) for w in ((0, 0), (1, 0), (None, 1), (2, 1))]
    spans += [masks.key_padding(x) for x in ([0], [n_k], [0, n_k - 1], [1, 2])]
    spans += [masks.documents(x) for x in ([1], [2, 1], [1, 3, 1], [n_q])]
    yield from spans
    for pair in itertools.combinations(spans, 2):
        yield masks.intersect(*pair)


@pytest.mark.few(3)
@pytest.mark.parametrize("n_q, n_k", [(1, 1), (5, 5), (2, 5), (4, 4), (5, 2)])
def test_a_tile_is_full_partial_or_empty_exactly_when_it_is(n_q, n_k):
    kinds = {"full": 0, "partial": 0, "empty": 0}
    for span in every_span(n_q, n_k):
        seen = whole(span, n_q, n_k)
        for rows in itertools.combinations(range(n_q + 1), 2):
            for cols in itertools.combinations(range(n_k + 1), 2):
                tile = seen[..., slice(*rows), slice(*cols)]
                kind = masks.tile_kind(span, rows, cols)
                kinds[kind] += 1
                assert (kind == "full") == tile.all().item()
                assert (kind == "empty") == (not tile.any())
    assert (n_q, n_k) == (1, 1) or min(kinds.values()) > 300


def test_masks_compose_as_and():
    spans = [masks.causal(6, 6), masks.documents([2, 4]), masks.key_padding([5, 3])]
    found = whole(masks.intersect(*spans), 6, 6)
    a, b, c = (whole(span, 6, 6) for span in spans)
    assert torch.equal(found, a & b & c)
    mask = masks.tile_mask(*spans)(torch.arange(6)[:, None], torch.arange(6))
    assert torch.equal(mask, found)


def test_a_tile_mask_is_a_window_on_the_whole():
    mask = masks.tile_mask(masks.causal(9, 11), masks.documents([3, 4, 2]))
    rows, cols = torch.arange(9)[:, None], torch.arange(11)
    assert torch.equal(mask(rows[3:7], cols[2:9]), mask(rows, cols)[3:7, 2:9])


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: masks.window(4, 4, -1), "left must be None or at least 0, not -1"),
        (lambda: masks.window(4, 4, 2, -3), "right must be .* at least 0, not -3"),
        (lambda: masks.window(4, 4, 1.5), "left must be None or at least 0, not 1.5"),
        (lambda: masks.causal(4, 4, "left"), "align must be .* not 'left'"),
        (lambda: masks.window(4, 4, 1, align=True), "align must be .* not True"),
        (lambda: masks.key_padding([2, -1]), r"lengths .* at least 0, not \[2, -1\]"),
        (lambda: masks.key_padding([[2]]), r"lengths must be a row .* not \[\[2\]\]"),
        (lambda: masks.documents([2, 0]), r"lengths .* at least 1, not \[2, 0\]"),
        (lambda: masks.documents([]), r"lengths must be a row .* not \[\]"),
        (lambda: masks.documents([1.5]), r"lengths .* whole numbers .* not \[1.5\]"),
        (lambda: masks.tile_mask(), "spans must be at least one span"),
    ],
)
def test_what_does_not_fit_is_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()
