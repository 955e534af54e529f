"""The same options elsewhere: PyTorch's FlexAttention, and flash-attn's arguments.

FlexAttention has no backward pass on a CPU, so that o and L are compared.
"""

import itertools
import math

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.testing import assert_close

import tilewise
from tilewise.block_sparse import spans_mask, tiles_mask
from tilewise.masks import documents, prefix, union, window
from tilewise.variants import geometric_slopes

from .._oracle import with_gradients

N_Q, N_K, HEADS = 37, 53, 4
SHIFT = N_K - N_Q
SLOPES = geometric_slopes(HEADS).double()
LENGTHS = torch.tensor([20, 17, 16])  # of documents; both sides count from their start
DOCUMENT = torch.repeat_interleave(torch.arange(3), LENGTHS)
GRID = torch.rand(HEADS, 5, 7, generator=torch.manual_seed(0)) < 0.5


def masked(rule):
    """FlexAttention under a mask that is a rule of (batch, head, row, column)."""
    blocks = create_block_mask(rule, None, HEADS, N_Q, N_K, device="cpu")
    return {"block_mask": blocks}


def own(span):
    return {"block_mask": spans_mask(N_Q, N_K, span)}


def local(b, h, r, c):
    return (c >= r + SHIFT - 6) & (c <= r + SHIFT + 2)


FLEX = {  # name: (FlexAttention's arguments, ours)
    "causal": (masked(lambda b, h, r, c: c <= r + SHIFT), {"causal": True}),
    "window": (masked(local), {"window": (6, 2)}),
    "prefix": (
        masked(lambda b, h, r, c: (c < 9) | (c <= r + SHIFT)),
        own(union(prefix(9), window(N_Q, N_K, None))),
    ),
    "local and global": (
        masked(lambda b, h, r, c: (c < 4) | local(b, h, r, c)),
        own(union(prefix(4), window(N_Q, N_K, 6, 2))),
    ),
    "documents": (
        masked(lambda b, h, r, c: DOCUMENT[r] == DOCUMENT[c]),
        own(documents(LENGTHS)),
    ),
    "blocks": (
        masked(lambda b, h, r, c: GRID[h, r // 8, c // 8]),
        {"block_mask": tiles_mask(GRID, 8, 8, N_Q, N_K)},
    ),
    "softcap": (
        {"score_mod": lambda s, b, h, r, c: 3.0 * torch.tanh(s / 3.0)},
        {"softcap": 3.0},
    ),
    "ALiBi": (
        {"score_mod": lambda s, b, h, r, c: s - SLOPES[h] * (r + SHIFT - c).abs()},
        {"alibi_slopes": SLOPES},
    ),
    "all": (
        masked(local)
        | {
            "score_mod": lambda s, b, h, r, c: (
                3.0 * torch.tanh(s / 3.0) - SLOPES[h] * (r + SHIFT - c).abs()
            )
        },
        {"softcap": 3.0, "alibi_slopes": SLOPES, "window": (6, 2)},
    ),
}


@pytest.mark.filterwarnings("ignore")  # it would rather be compiled
@pytest.mark.parametrize("name", FLEX)
def test_flex_attention_gives_the_same(name):
    theirs, ours = FLEX[name]
    torch.manual_seed(1)
    shapes = (2, HEADS, N_Q, 16), (2, 2, N_K, 16), (2, 2, N_K, 16)
    q, k, v = (torch.randn(x, dtype=torch.float64) for x in shapes)
    expected = flex_attention(q, k, v, enable_gqa=True, return_lse=True, **theirs)
    found = tilewise.flash_attention(q, k, v, return_lse=True, **ours)
    assert_close(found, expected, rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_a_sink_is_flex_attentions_o_times_a_sigmoid():
    """FlexAttention has no sink, but o and L without one give o with one."""
    torch.manual_seed(2)
    q, k, v = torch.randn(3, 2, HEADS, 19, 8, dtype=torch.float64)
    sinks = torch.randn(HEADS, dtype=torch.float64)
    o, lse = flex_attention(q, k, v, return_lse=True)
    expected = o * torch.sigmoid(lse - sinks[:, None])[..., None]
    found, with_sink = tilewise.flash_attention(q, k, v, sinks=sinks, return_lse=True)
    assert_close(found, expected, rtol=0, atol=1e-12)
    assert_close(with_sink, torch.logaddexp(lse, sinks[:, None].expand(lse.shape)))


def flash_attn_func(
    q,
    k,
    v,
    dropout_p=0.0,
    softmax_scale=None,
    causal=False,
    window_size=(-1, -1),
    softcap=0.0,
    alibi_slopes=None,
):
    """flash-attn's arguments: (batch, N, heads, d), −1 for no limit, 0 for no cap."""
    o = tilewise.flash_attention(
        *(x.transpose(1, 2) for x in (q, k, v)),
        causal=causal,
        scale=softmax_scale,
        window=tuple(None if x < 0 else x for x in window_size),
        softcap=softcap or None,
        alibi_slopes=alibi_slopes,
        dropout_p=dropout_p,
    )
    return o.transpose(1, 2)


def as_documented(q, k, v, causal, window_size, softcap, alibi_slopes):
    """flash-attn's README and docstrings, written out in float64.

    Query i sees keys from i + N_k − N_q − left to i + N_k − N_q + right, causal is a
    right limit of 0, ALiBi adds −slope |i + N_k − N_q − j|, and no key gives 0.
    """
    k, v = (x.repeat_interleave(q.shape[2] // x.shape[2], 2) for x in (k, v))
    s = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.shape[-1])
    s = softcap * torch.tanh(s / softcap) if softcap else s
    far = torch.arange(s.shape[-1]) - torch.arange(s.shape[-2])[:, None]
    far = far - s.shape[-1] + s.shape[-2]
    if alibi_slopes is not None:
        s = s - alibi_slopes.reshape(-1, q.shape[2], 1, 1) * far.abs()
    left, right = window_size
    right = 0 if causal else right
    hidden = (far < -left) & (left >= 0) | (far > right) & (right >= 0)
    p = s.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0)
    return torch.einsum("bhij,bjhd->bihd", p, v)


LENGTHS_OF_BOTH = (113, 203), (128, 217), (113, 211), (108, 256), (96, 64), (1, 147)


@pytest.mark.few(2)
@pytest.mark.parametrize("heads_k", [6, 2, 1])
@pytest.mark.parametrize("n_q, n_k", LENGTHS_OF_BOTH)
def test_the_grid_of_flash_attn(n_q, n_k, heads_k):
    torch.manual_seed(0)
    shapes = (2, n_q, 6, 32), (2, n_k, heads_k, 32), (2, n_k, heads_k, 32)
    inputs = [torch.randn(x, dtype=torch.float64) for x in shapes]
    given = (torch.randn(shapes[0], dtype=torch.float64),)
    slopes = torch.rand(2, 6, dtype=torch.float64) * 0.3
    for causal, window_size, softcap, alibi in itertools.product(
        (False, True), ((-1, -1), (40, -1), (17, 5)), (0.0, 2.0), (None, slopes)
    ):
        how = causal, window_size, softcap, alibi

        def mine(q, k, v, how=how):
            return [flash_attn_func(q, k, v, 0.0, None, *how)]

        def plain(q, k, v, how=how):
            return [as_documented(q, k, v, *how)]

        found, expected = (with_gradients(f, inputs, given) for f in (mine, plain))
        assert_close(found, expected, rtol=0, atol=1e-10)
