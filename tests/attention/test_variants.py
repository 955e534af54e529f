"""Windows, softcap, ALiBi, sinks, block masks, dropout: any of them together."""

import math

import pytest
import torch
from torch.testing import assert_close

import tilewise
from tilewise.attention import ops, passes
from tilewise.attention.passes import Options, tiled
from tilewise.block_sparse import spans_mask, tiles_mask
from tilewise.dropout import keep_factors
from tilewise.masks import causal
from tilewise.variants import alibi_gradient, score_gradients, sink_gradient

from ._attention_cases import flash1, flash2, whole
from ._variant_cases import composition, formula

TINY = {"rtol": 0, "atol": 1e-10}
SEED = 5  # of dropout


def expected(tensors, how, learned, plain):
    """o, L and the gradients of q, k, v, slopes, sinks and bias, by autograd."""
    q, k, v, do, dlse = tensors
    slopes, sinks, mask = learned
    bias = mask if mask is not None and mask.is_floating_point() else None
    z = 1.0
    if how["dropout_p"]:
        factors = keep_factors(how["dropout_p"], SEED, *q.shape[:2])
        z = whole(factors, q.shape[2], k.shape[2])
    inputs = [q, k, v, slopes, sinks, bias]
    leaves = [x if x is None else x.clone().requires_grad_() for x in inputs]
    o, lse = formula(*leaves, **plain, z=z)
    nothing = lse == -math.inf
    grads = [x for x in leaves if x is not None]
    loss = (o * do).sum() + (lse.masked_fill(nothing, 0) * dlse).sum()
    return o.detach(), lse.detach(), *torch.autograd.grad(loss, grads)


def found(tensors, how, learned, blocks, monkeypatch):
    """The same by the package's own function, on tiles of this size."""
    q, k, v, do, dlse = tensors
    slopes, sinks, mask = learned
    monkeypatch.setattr(passes, "tile_sizes", lambda q: blocks)
    monkeypatch.setattr(torch, "randint", lambda *_, **__: torch.tensor(SEED))
    floats = mask is not None and mask.is_floating_point()
    inputs = [q, k, v, slopes, sinks, mask]
    leaves = [
        x if x is None or not x.is_floating_point() else x.clone().requires_grad_()
        for x in inputs
    ]
    q, k, v, slopes, sinks, mask = leaves
    o, lse = ops.attend(
        q, k, v, mask, alibi_slopes=slopes, sinks=sinks, return_lse=True, **how
    )
    grads = [x for x in (q, k, v, slopes, sinks) if x is not None]
    grads += [mask] if floats else []
    results = torch.autograd.grad((o, lse), grads, (do, dlse))
    monkeypatch.undo()
    return o.detach(), lse.detach(), *results


@pytest.mark.few(1)
@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_a_thousand_compositions_equal_the_formula(start, monkeypatch):
    for seed in range(start, start + 100):
        tensors, how, learned, plain, blocks = composition(seed)
        exact = expected(tensors, how, learned, plain)
        ours = found(tensors, how, learned, blocks, monkeypatch)
        assert_close(ours, exact, msg=lambda m, s=seed: f"case {s}: {m}", **TINY)


@pytest.mark.few(1)
@pytest.mark.parametrize("start", range(1000, 1400, 100))
def test_both_loop_orders_equal_the_formula(start):
    for seed in range(start, start + 100):
        (*tensors, dlse), how, (slopes, sinks, mask), plain, blocks = composition(seed)
        how["dropout_p"] = 0.0
        exact = expected((*tensors, 0 * dlse), how, (slopes, sinks, mask), plain)
        q, k, v, do = tensors
        options = Options(**how, seed=None, alibi_slopes=slopes)
        more = tiled(q, k, mask, options)
        for order in (flash1, flash2):
            o, lse, *grads = order(q, k, v, do, *blocks, sinks=sinks, **more)
            tiles = score_gradients(q, k, v, o, do, lse, *blocks[::-1], **more)
            if slopes is not None:
                grads.append(alibi_gradient(slopes, q.shape[2], k.shape[2], tiles))
            if sinks is not None:
                grads.append(sink_gradient(sinks, o, do, lse))
            part = exact[: len(grads) + 2]
            message = f"case {seed}, {order.__name__}: "
            assert_close((o, lse, *grads), part, msg=lambda m, t=message: t + m, **TINY)


X = torch.ones(2, 4, 6, 8)
BAD = {
    "window must be None or (left, right), each": {"window": (-1, 0)},
    "2³⁰ − 1, not (1, 2, 3)": {"window": (1, 2, 3)},
    "2³⁰ − 1, not 5": {"window": 5},
    "2³⁰ − 1, not (True, None)": {"window": (True, None)},
    "softcap must be a finite number above 0, not 0": {"softcap": 0},
    "softcap must be a finite number above 0, not inf": {"softcap": math.inf},
    "softcap must be None or a number, not '5'": {"softcap": "5"},
    "alibi_slopes must be floats (4,) or (2, 4), not torch.float32 (2,)": {
        "alibi_slopes": torch.ones(2)
    },
    "alibi_slopes must be None or a tensor, not list": {"alibi_slopes": [1.0] * 4},
    "sinks must be floats (4,), not torch.int64 (4,)": {"sinks": torch.arange(4)},
    "sinks must be floats (4,), not torch.float32 (2, 4)": {"sinks": torch.ones(2, 4)},
    "sinks must be on cpu as q is, not on meta": {"sinks": torch.ones(4).to("meta")},
    "block_mask must be for 6 × 6 scores, not 6 × 7": {
        "block_mask": spans_mask(6, 7, causal(6, 7))
    },
    "block_mask must be None or a BlockMask, not Tensor": {"block_mask": X},
    "block_mask must broadcast in front to (2, 4), not (3,)": {
        "block_mask": tiles_mask(torch.ones(3, 1, 1).bool(), 6, 6, 6, 6)
    },
    "window is counted from the bottom-right diagonal": {
        "window": (1, 0),
        "causal": "top-left",
    },
    "dropout_p must be at least 0 and below 1, not 1": {"dropout_p": 1},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_get_one_sentence(message):
    lengths = torch.tensor([0, 6])
    for call in (
        lambda **how: tilewise.flash_attention(X, X, X, **how),
        lambda **how: tilewise.flash_attention_varlen(
            *(X[0].transpose(0, 1),) * 3, lengths, lengths, **how
        ),
    ):
        with pytest.raises((TypeError, ValueError)) as error:
            call(**BAD[message])
        said = str(error.value)
        assert "\n" not in said
        packed = {"(2, 4)": "(1, 4)", "in front to (1, 4)": "in front to (4,)"}
        expected = message
        if message not in said:
            for old, new in packed.items():
                expected = expected.replace(old, new)
        assert expected in said


def test_tiles_and_intervals_are_checked():
    bools = torch.ones(2, 2).bool()
    for make, message in (
        (lambda: tiles_mask(bools, 2, 2, 4, 5), r"tiles must be bools \(..., 2, 3\)"),
        (lambda: tiles_mask(bools.float(), 2, 2, 4, 4), "not torch.float32"),
        (lambda: tiles_mask(bools, 0, 2, 4, 4), "block_rows must be a whole number"),
        (lambda: spans_mask(4, 4), "spans must be at least one span"),
    ):
        with pytest.raises(ValueError, match=message):
            make()
