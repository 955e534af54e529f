"""Random packed documents with options, and what the kernels give for them.

The oracle is that of _options.py, document by document, in float64.
"""

import importlib
import math
import random

import torch

from tests._oracle import assert_as_good, floors
from tests.kernels._backward import poisoned
from tests.kernels._options import ALONE, TINY, formula
from tests.varlen._varlen import bounds, ends, some_lengths

OPTIONS = [x for x in ALONE if x[0] != "block_mask"]  # which has no packed kernel
DRAWS = 24


def draw(i, dtype, device="cpu", most=50):
    """(q, k, v, do, dlse), lengths of q and k, options of call i."""
    rng = random.Random(i)
    torch.manual_seed(i)
    documents, key_heads, group = (
        rng.randint(2, 4),
        rng.randint(1, 2),
        rng.choice((1, 3)),
    )
    lengths = [some_lengths(rng, most, documents - 1) for _ in range(2)]
    lengths = [[*some, rng.randint(1, most)] for some in lengths]
    lengths[1] = lengths[0] if rng.random() < 0.4 else lengths[1]
    (n_q, n_k), heads = map(sum, lengths), group * key_heads
    d, d_v = rng.choice((16, 24, 64)), rng.choice((16, 40, 64))
    shapes = [(n_q, heads, d), (n_k, key_heads, d), (n_k, key_heads, d_v)]
    shapes += [(n_q, heads, d_v), (n_q, heads)]
    q, k, v, do, dlse = (torch.randn(x, device=device) for x in shapes)
    some = [OPTIONS[i]] if i < len(OPTIONS) else rng.sample(OPTIONS, 5)
    options = {"causal": rng.choice((False, True, "top-left"))} | dict(some)
    options |= {"scale": rng.choice((None, -0.3))}
    if "dropout_p" in options:
        options["seed"] = rng.randrange(2**63)
    slopes = {"each head": (heads,), "each entry": (documents, heads)}
    if "alibi_slopes" in options:
        shape = slopes[options["alibi_slopes"]]
        options["alibi_slopes"] = torch.rand(shape, device=device)
    if "sinks" in options:
        options["sinks"] = torch.randn(heads, device=device)
    return [x.to(dtype) for x in (q, k, v, do)] + [dlse], lengths, options


def by_document(q, k, v, slopes, sinks, lengths, options):
    """(o, L) by the formula, each document by itself; without keys the sink alone."""
    o, lse = [], []
    for b, (rows, keys) in enumerate(zip(*map(bounds, lengths), strict=True)):
        own = slopes if slopes is None or slopes.ndim == 1 else slopes[b]
        parts = (x.transpose(0, 1)[None] for x in (q[rows], k[keys], v[keys]))
        o_b, lse_b = formula(*parts, own, sinks, first=b, **options)
        o.append(o_b[0].transpose(0, 1))
        lse.append(lse_b[0].T)
    return torch.cat(o), torch.cat(lse)


def exact(tensors, lengths, options, dtype):
    """[o, L, dq, dk, dv, dslopes, dsinks] computed in dtype, as far as asked for."""
    *inputs, do, dlse = (x.to(dtype) for x in tensors)
    options = dict(options)
    extra = [options.pop(x, None) for x in ("alibi_slopes", "sinks")]
    extra = [x if x is None else x.to(dtype) for x in extra]
    wanted = [x.requires_grad_() for x in (*inputs, *extra) if x is not None]
    o, lse = by_document(*inputs, *extra, lengths, options)
    loss = (o * do).sum() + (lse.masked_fill(lse == -math.inf, 0) * dlse).sum()
    return [o.detach(), lse.detach(), *torch.autograd.grad(loss, wanted)]


def hold(i, dtype, device="cpu", tiles=TINY, most=50):
    """Results and gradients of call i are as good as plain PyTorch's, in NaN memory."""
    tensors, lengths, options = draw(i, dtype, device, most)
    true, plain = (exact(tensors, lengths, options, x) for x in (torch.float64, dtype))
    (q, k, v, do, dlse), how, more = tensors, {}, {}
    places = [ends(n, torch.int32, device) for n in lengths]
    scores, back = (
        importlib.import_module(f"tilewise.kernels.{name}")
        for name in ("varlen_scores", "varlen_scores_backward")
    )
    if tiles:
        how = dict(zip(("block_rows", "block_cols"), tiles[i % 3]))
        more = {"dkdv_tile": tiles[(i + 1) % 3], "dq_tile": tiles[i % 3]}
    with poisoned():
        o, lse = scores.forward(q, k, v, *places, **options, **how)
        saved = true[0].to(dtype), do, true[1].float(), *places
        grads = back.backward(q, k, v, *saved, dlse=dlse, **options, **more)
    assert {x.dtype for x in (o, *grads[:3])} == {dtype} and lse.dtype == torch.float32
    z = 1 / (1 - options.get("dropout_p", 0))
    turned = [x.transpose(0, 1)[None] for x in (*tensors[:4], dlse)]
    least = [*floors(*turned, options["scale"], z)]
    ds, (n_q, n_k) = least[3] / q.double().abs().max().item(), map(max, lengths)
    least += [ds * (n_q + n_k) * n_k, ds * n_q]
    least = least[:5] + [x for x, y in zip(least[5:], grads[3:]) if y is not None]
    found = [o, lse, *(x for x in grads if x is not None)]
    assert_as_good(found, true, plain, least, units=4, doubt=True)


def alike(i, dtype=torch.float32, device="cpu", tiles=TINY):
    """Documents of one length as entries of a batch have the same bits, dropout too."""
    tensors, _, options = draw(i, dtype, device)
    options.pop("alibi_slopes", None)
    scores, packed = (
        importlib.import_module(f"tilewise.kernels.{name}")
        for name in ("scores", "varlen_scores")
    )
    q, k, v = (x[: len(x) // 3 * 3] for x in tensors[:3])
    batch = [x.unflatten(0, (3, -1)).transpose(1, 2) for x in (q, k, v)]
    how = dict(zip(("block_rows", "block_cols"), tiles[i % 3])) if tiles else {}
    o, lse = scores.forward(*batch, **options, **how)
    places = [ends([len(x) // 3] * 3, torch.int64, device) for x in (q, k)]
    found = packed.forward(q, k, v, *places, **options, **how)
    assert torch.equal(found[0], o.transpose(1, 2).flatten(0, 1))
    assert torch.equal(found[1], lse.transpose(1, 2).flatten(0, 1))
