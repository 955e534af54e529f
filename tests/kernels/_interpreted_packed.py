"""Packed documents with options in the interpreter: test_packed_options.py."""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import torch

from tests.kernels._child import report
from tests.kernels._packed_options import DRAWS, OPTIONS, alike, draw, hold
from tests.kernels._patched_once import patched_once
from tests.varlen._varlen import bounds, ends
from tilewise import flash_attention_varlen
from tilewise.attention import dispatch
from tilewise.kernels import varlen_scores

warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # triton 3.6 with numpy 2.3
warnings.filterwarnings("ignore", "overflow|invalid value", RuntimeWarning)
torch.set_num_threads(1)
EVERY = {"causal": True, "window": (5, 0), "softcap": 3.0, "dropout_p": 0.3}
BAD = {  # what a sentence names → an option that cannot be
    "window": {"window": (1, -1)},
    "softcap": {"softcap": 0.0},
    "alibi_slopes": {"alibi_slopes": torch.ones(7)},
    "sinks": {"sinks": torch.ones(1, 7)},
    "seed": {"dropout_p": 0.5},
    "causal": {"causal": "left"},
}


def made(lengths, heads=4, kv_heads=2, d=16, d_v=24):
    """q, k, v, slopes of each document and sinks, random."""
    torch.manual_seed(0)
    n_q, n_k = map(sum, lengths)
    shapes = (n_q, heads, d), (n_k, kv_heads, d), (n_k, kv_heads, d_v)
    learned = torch.rand(len(lengths[0]), heads), torch.randn(heads)
    return [*(torch.randn(x) for x in shapes), *learned]


def computed(tensors, places, **options):
    """[o, L, and five gradients] of the public function."""
    q, k, v, slopes, sinks = leaves = [x.clone().requires_grad_() for x in tensors]
    learned = {"alibi_slopes": slopes, "sinks": sinks, "return_lse": True}
    torch.manual_seed(1)  # of dropout
    o, lse = flash_attention_varlen(q, k, v, *places, **learned, **options)
    given = [torch.arange(x.numel()).cos().view_as(x) for x in (o, lse)]
    grads = torch.autograd.grad((o, lse), leaves, given)
    return [o.detach(), lse.detach(), *grads]


def check_public_function():
    """By kernels where a card is, with the results that tiles in PyTorch have."""
    lengths = [20, 0, 9, 40], [30, 7, 0, 33]
    tensors, places = made(lengths), [*map(ends, lengths)]
    results = []
    for card in (((8, 0), False), None):
        dispatch.card = lambda device, card=card: card
        dispatch.functions.cache_clear()
        results.append(computed(tensors, places, **EVERY))
        assert bool(dispatch.functions.cache_info().misses) == bool(card)
    for x, y in zip(*results, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-4, atol=2e-4)


def check_no_leak():
    """What a document holds, be it NaN, changes no bit of another's results."""
    dispatch.card = lambda device: ((8, 0), False)
    lengths = [20, 0, 17, 9], [20, 5, 33, 1]
    tensors, places = made(lengths), [*map(ends, lengths)]
    before = computed(tensors, places, **EVERY)
    rows, keys = (bounds(n)[2] for n in lengths)
    sides = rows, keys, keys
    for x, at in zip(tensors, sides):
        x[at] = torch.nan
    after = computed(tensors, places, **EVERY)
    for x, y, side in zip(before, after, (rows, rows, *sides)):
        kept = torch.ones(len(x), dtype=torch.bool)
        kept[side] = False
        assert torch.equal(x[kept], y[kept])
    others = [0, 1, 3]
    assert torch.equal(before[5][others], after[5][others])  # of slopes
    assert after[5][2].isnan().all() and after[6].isnan().all()


def check_same_bits():
    for i in range(len(OPTIONS), len(OPTIONS) + 4):
        alike(i)


def check_bad_input():
    """One ValueError with a sentence that names what is wrong."""
    (q, k, v, *_), lengths, _ = draw(0, torch.float32)
    for name, option in BAD.items():
        try:
            varlen_scores.forward(q, k, v, *map(ends, lengths), **option)
        except ValueError as error:
            assert name in str(error), (name, error)
        else:
            raise AssertionError(f"{name} was taken")


def checks():
    for i in range(len(OPTIONS) + DRAWS):
        dtype = torch.float16 if i % 3 == 1 else torch.float32
        yield str(i), lambda i=i, dtype=dtype: hold(i, dtype)
    yield "bad input", check_bad_input
    yield "public function", check_public_function
    yield "no leak", check_no_leak
    yield "same bits", check_same_bits


if __name__ == "__main__":
    patched_once()
    report(checks())
