"""scaled_dot_product_attention against PyTorch's: results, gradients, what raises."""

import inspect
import math
import re

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as theirs
from torch.testing import assert_close

from tilewise import scaled_dot_product_attention as ours
from tilewise.attention import passes

from .._oracle import with_gradients

TINY = {"rtol": 0, "atol": 1e-10}


def draw(*shapes):
    torch.manual_seed(0)
    return [torch.randn(shape, dtype=torch.float64) for shape in shapes]


def same(shapes, mask=None, tiles=(2, 3), **options):
    """Ours and theirs agree, in results and gradients, by small tiles and by one."""
    tensors = draw(*shapes) + ([] if mask is None else [mask])
    expected_o = theirs(*tensors, **options)
    do = torch.randn_like(expected_o)
    expected = with_gradients(lambda *x: [theirs(*x, **options)], tensors, [do])
    found = with_gradients(lambda *x: [ours(*x, **options)], tensors, [do])
    assert_close(found, expected, **TINY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "tile_sizes", lambda q: tiles)
        found = with_gradients(lambda *x: [ours(*x, **options)], tensors, [do])
    assert_close(found, expected, **TINY)


def test_the_signature_is_the_one_pytorch_documents():
    text = re.search(r"\((.*?)\)", theirs.__doc__, re.DOTALL)[1]
    documented = [part.split("=") for part in re.sub(r"\s", "", text).split(",")]
    found = inspect.signature(ours).parameters.values()
    assert [p.name for p in found] == [name for name, *_ in documented]
    assert [str(p.default) for p in found if p.default is not p.empty] == [
        default for _, *defaults in documented for default in defaults
    ]


@pytest.mark.parametrize(
    "shapes",
    [
        [(4, 3), (5, 3), (5, 2)],
        [(2, 4, 3), (2, 5, 3), (2, 5, 2)],
        [(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7)],
        [(2, 1, 3, 4, 5), (2, 2, 3, 6, 5), (1, 2, 3, 6, 5)],
        [(3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 5)],
        [(2, 3, 4, 5), (6, 5), (6, 5)],
        [(1, 4, 4, 5), (2, 1, 6, 5), (1, 1, 6, 5)],
        [(1, 2, 9, 5), (1, 2, 4, 5), (3, 2, 4, 5)],
    ],
)
def test_ranks_and_broadcasting(shapes):
    same(shapes)
    same(shapes, is_causal=True, scale=-0.3)


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 6, 4, 5), (2, 3, 6, 5), (2, 3, 6, 5)],
        [(6, 4, 5), (2, 6, 5), (2, 6, 5)],
        [(2, 6, 4, 5), (2, 2, 6, 5), (2, 3, 6, 5)],
        [(3, 4, 4, 5), (1, 2, 6, 5), (2, 6, 5)],
    ],
)
def test_shared_heads(shapes):
    same(shapes, enable_gqa=True)
    same(shapes, draw(4, 4, (4, 6))[2], enable_gqa=True)


@pytest.mark.parametrize(
    "shape", [(4, 6), (1, 6), (4, 1), (1, 1), (2, 1, 1, 6), (3, 4, 6), (2, 3, 4, 6)]
)
def test_masks_of_bools_and_floats(shape):
    shapes = [(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 5)]
    (floats,) = draw(shape)
    same(shapes, floats)
    same(shapes, floats.float())
    same(shapes, floats.masked_fill(floats < 0, -math.inf))
    same(shapes, floats > 0)


def test_rows_that_see_nothing():
    shapes = [(2, 4, 5), (2, 6, 5), (2, 6, 5)]
    mask = torch.arange(4)[:, None] > torch.zeros(6)
    same(shapes, mask)
    same(shapes, torch.zeros(4, 6).double().masked_fill(~mask, -math.inf))
    same(shapes, torch.zeros(4, 6, dtype=torch.bool))


@pytest.mark.parametrize("empty", [0, 1, 2, 3])
def test_nothing_to_attend_to(empty):
    batch, n_q, n_k, d_v = (0 if i == empty else 2 for i in range(4))
    same([(batch, n_q, 5), (batch, n_k, 5), (batch, n_k, d_v)])


def test_autocast_casts_as_theirs_does():
    q, k, v = (x.float() for x in draw(*[(1, 2, 5, 4)] * 3))
    with torch.autocast("cpu", torch.bfloat16):
        for tensors in ((q, k, v), (q.bfloat16(), k, v), (q.double(),) * 3):
            found, expected = ours(*tensors), theirs(*tensors)
            assert_close(found, expected, rtol=2**-7, atol=2**-7)
    assert ours(q, k, v).dtype == torch.float32


X = torch.ones(2, 4, 6, 8)
S = torch.zeros(6, 6)


@pytest.mark.parametrize(
    "change, kind, message",
    [
        ({"query": X.tolist()}, TypeError, "query must be a tensor, not list"),
        ({"key": X[0, 0, 0]}, ValueError, r"key must be \(..., N, d\), not \(8,\)"),
        (
            {"key": X.double()},
            ValueError,
            "one dtype, not torch.float32, torch.float64",
        ),
        (dict.fromkeys(("query", "key", "value"), X.long()), TypeError, "torch.int64"),
        ({"key": X[..., :7]}, ValueError, r"query and key .* d .* \(2, 4, 6, 7\)"),
        ({"query": X[:, :3]}, ValueError, r"must broadcast .* not \(2, 3, 6, 8\)"),
        ({"query": X[:, :3], "enable_gqa": True}, ValueError, "must divide .*query"),
        (
            {"query": X[0, 0], "key": X[0, 0], "value": X[0, 0], "enable_gqa": True},
            ValueError,
            r"enable_gqa must have \(..., heads, N, d\), not \(6, 8\)",
        ),
        ({"attn_mask": S.long()}, TypeError, "bool, float32 .* not torch.int64"),
        ({"attn_mask": S.double()}, TypeError, "float32 .* not torch.float64"),
        ({"attn_mask": S[0]}, ValueError, r"from 2 axes on, .* not \(6,\)"),
        ({"attn_mask": S[:5]}, ValueError, r"to \(2, 4, 6, 6\), not \(5, 6\)"),
        ({"attn_mask": S.repeat(3, 2, 4, 1, 1)}, ValueError, r"not \(3, 2, 4, 6, 6\)"),
        ({"dropout_p": 1.5}, ValueError, "dropout_p must be .* below 1, not 1.5"),
        ({"dropout_p": -0.5}, ValueError, "dropout_p must be .* below 1, not -0.5"),
        ({"scale": "1"}, TypeError, "scale must be None or a number, not '1'"),
        ({"is_causal": 1}, TypeError, "is_causal must be True or False, not 1"),
    ],
)
def test_what_pytorch_refuses_is_refused_and_named(change, kind, message):
    good = {"query": X, "key": X, "value": X}
    with pytest.raises((RuntimeError, TypeError, IndexError)):
        theirs(**good | change)
    with pytest.raises(kind, match=message):
        ours(**good | change)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"attn_mask": S, "is_causal": True}, "attn_mask must be None with is_causal"),
        ({"value": X[:, :, :5]}, r"key and value .* N .* \(2, 4, 5, 8\)"),
        ({"dropout_p": 1.0}, "dropout_p must be .* below 1, not 1.0"),
    ],
)
def test_what_pytorch_lets_through_on_this_cpu_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        ours(**{"query": X, "key": X, "value": X} | change)
