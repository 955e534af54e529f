"""Both loop orders, and random cases: shapes, masks, dropout, heads, blocks."""

import random

import pytest
import torch

from tilewise.dropout import keep_factors
from tilewise.flash1 import flash1_backward, flash1_forward
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.masks import causal, documents, key_padding, tile_mask, window

from .._oracle import CAUSALS

KINDS = ("none", "window", "padding", "documents", "given", "all")


def mask_of(kind, rng, n_q, n_k, batch):
    """A tile mask of a kind, or None."""
    reach = window(n_q, n_k, rng.randint(0, 5), rng.choice([0, 2, None]))
    padding = key_padding([rng.randint(0, n_k) for _ in range(batch)])
    packed = documents([rng.randint(1, 1 + n_k // 2) for _ in range(3)])
    bits = torch.rand(n_q, n_k, generator=torch.manual_seed(rng.randint(0, 99))) < 0.5
    return {
        "none": None,
        "window": tile_mask(reach),
        "padding": tile_mask(padding),
        "documents": tile_mask(packed),
        "given": lambda r, c: bits[r, c],
        "all": tile_mask(causal(n_q, n_k), padding, packed),
    }[kind]


def whole(function, n_q, n_k):
    """What a function of a tile's indices gives for the whole matrix."""
    return function(torch.arange(n_q)[:, None], torch.arange(n_k))


def case(seed, dtype=torch.float64, most=40):
    """(q, k, v, do), blocks, options of the code, options of the oracle."""
    rng = random.Random(seed)
    n_q, n_k, d, d_v = (rng.randint(1, most) for _ in range(4))
    batch, heads, group = (rng.randint(1, 2) for _ in range(3))
    torch.manual_seed(seed)
    kv = (batch, heads, n_k)
    shapes = (batch, heads * group, n_q, d), (*kv, d), (*kv, d_v)
    shapes = *shapes, (batch, heads * group, n_q, d_v)
    tensors = [torch.randn(shape, dtype=torch.float64).to(dtype) for shape in shapes]
    both = {"scale": rng.choice([None, 0.3, -0.2]), "causal": rng.choice(CAUSALS)}
    ours, plain = dict(both), dict(both)
    if mask := mask_of(rng.choice(KINDS), rng, n_q, n_k, batch):
        ours["mask"], plain["seen"] = mask, whole(mask, n_q, n_k)
    if rng.random() < 0.5:
        z = keep_factors(rng.choice([0.1, 0.5]), seed, batch, heads * group)
        ours["dropout"], plain["factors"] = z, whole(z, n_q, n_k).to(dtype)
    return tensors, [rng.randint(1, n + 2) for n in (n_q, n_k)], ours, plain


def flash1(q, k, v, do, *blocks, sinks=None, **options):
    """(o, lse, dq, dk, dv), K and V outside; tiles of both passes, or of each."""
    o, m, l = flash1_forward(q, k, v, *blocks[:2], sinks=sinks, **options)
    grads = flash1_backward(q, k, v, o, do, m, l, *blocks[-2:], **options)
    return o, m + l.log(), *grads


def flash2(q, k, v, do, *blocks, sinks=None, **options):
    """The same with Q outside in the forward pass."""
    o, lse = flash2_forward(q, k, v, *blocks[:2], sinks=sinks, **options)
    return o, lse, *flash2_backward(q, k, v, o, do, lse, *blocks[-2:], **options)


both_orders = pytest.mark.parametrize("passes", [flash1, flash2])
