"""Packed documents: random ones, and an oracle, standard attention of one by one."""

import random

import torch

from .._oracle import CAUSALS, assert_as_good, attend, floors


def ends(lengths, dtype=torch.int64, device="cpu"):
    """cu_seqlens of documents with these lengths."""
    return torch.tensor([0, *lengths], dtype=dtype, device=device).cumsum(0).to(dtype)


def bounds(lengths):
    """The rows of each document, as slices."""
    edges = ends(lengths).tolist()
    return [slice(*edge) for edge in zip(edges, edges[1:])]


def by_document(q, k, v, lengths_q, lengths_k, *, causal=False, scale=None):
    """(o, L) with whole matrices, differentiable, document by document."""
    nothing = q[:0].sum()  # 0, with a gradient even where no row sees a key
    o = q.new_zeros(*q.shape[:2], v.shape[-1]) + nothing
    wide = torch.promote_types(q.dtype, torch.float32)
    lse = q.new_full(q.shape[:2], -torch.inf, dtype=wide) + nothing
    for rows, keys in zip(bounds(lengths_q), bounds(lengths_k), strict=True):
        if rows.start < rows.stop and keys.start < keys.stop:
            given = (x.transpose(0, 1) for x in (q[rows], k[keys], v[keys]))
            o_b, lse_b = attend(*given, causal=causal, scale=scale)
            o[rows], lse[rows] = o_b.transpose(0, 1), lse_b.T.to(wide)
    return o, lse


def planned(outer, inner, block):
    """[fields of a slot] of every block of rows, as the kernels' plan has them.

    (first row, rows, first row and rows of the other side, the document's first slot,
    its number): the longest other side comes first.
    """
    order = sorted(range(len(outer)), key=lambda b: (-inner[b], b))
    order, found = [b for b in order if outer[b]], []
    for b in order:
        firsts, start = (bounds(outer)[b].start, bounds(inner)[b].start), len(found)
        slot = firsts[0], outer[b], firsts[1], inner[b], start, b
        found += [slot] * -(-outer[b] // block)
    return found


def some_lengths(rng, most, documents):
    """Lengths of documents, odd and even, some 0, at least one row in all."""
    kinds = [0, 1, rng.randint(1, 5), rng.randint(1, most), rng.randint(1, most)]
    lengths = [rng.choice(kinds) for _ in range(documents)]
    return lengths if sum(lengths) else [*lengths[1:], rng.randint(1, most)]


def draw(seed, *, most=30, dims=(1, 9), dtype=torch.float64, device="cpu"):
    """(q, k, v), (do, dlse), lengths of q and of k, options, of a random case.

    dims None: d_v is d. One in two has as many keys as queries in every document.
    """
    rng = random.Random(seed)
    documents, kv_heads, group = rng.randint(1, 6), rng.randint(1, 2), rng.randint(1, 3)
    lengths_q = some_lengths(rng, most, documents)
    lengths_k = some_lengths(rng, most, documents) if rng.random() < 0.5 else lengths_q
    d = rng.randint(*dims)
    heads, d_v = kv_heads * group, rng.randint(*dims)
    torch.manual_seed(seed)
    n_q, n_k = sum(lengths_q), sum(lengths_k)
    shapes = (n_q, heads, d), (n_k, kv_heads, d), (n_k, kv_heads, d_v)
    made = [torch.randn(x, dtype=torch.float64) for x in (*shapes, (n_q, heads, d_v))]
    made.append(torch.randn(n_q, heads, dtype=torch.float64))
    *tensors, do, dlse = (x.to(device, dtype) for x in made)
    options = {"causal": rng.choice(CAUSALS), "scale": rng.choice([None, 0.4, -0.3])}
    wide = torch.promote_types(dtype, torch.float32)
    return tensors, (do, dlse.to(wide)), lengths_q, lengths_k, options


def gradients(f, tensors, given):
    """f's (o, L) and dq, dk, dv; where L is −∞ its gradient counts for nothing."""
    tensors = [x.detach().clone().requires_grad_() for x in tensors]
    o, lse = f(*tensors)
    seen = lse > -torch.inf
    grads = torch.autograd.grad(
        (o, lse.masked_fill(~seen, 0)), tensors, given, allow_unused=True
    )
    made = [torch.zeros_like(x) if y is None else y for x, y in zip(tensors, grads)]
    return o.detach(), lse.detach(), *made


def changed(tensors, given, places, b, value=None):
    """The same documents but for b, which has other numbers, or value, everywhere."""
    rows, keys = (x[b] for x in places)
    sides = rows, keys, keys, rows, rows
    made = []
    for x, at in zip((*tensors, *given), sides):
        y = x.clone()
        y[at] = torch.randn_like(x[at]) * 3 if value is None else value
        made.append(y)
    return made[:3], made[3:]


def leaks(f, tensors, given, lengths_q, lengths_k, b, value=None):
    """What of the other documents' results changed when document b did: names."""
    places = bounds(lengths_q), bounds(lengths_k)
    before = gradients(f, tensors, given)
    after = gradients(f, *changed(tensors, given, places, b, value))
    found = []
    names = ("o", "L", "dq", "dk", "dv")
    for name, x, y, side in zip(names, before, after, (0, 0, 0, 1, 1)):
        for other, at in enumerate(places[side]):
            if other != b and not torch.equal(x[at], y[at]):
                found.append(f"{name} of document {other}")
    return found


def assert_right(found, tensors, given, lengths, options, few=1):
    """Results and gradients are as good as plain PyTorch's of one document by one."""
    wide = [[x.double() for x in xs] for xs in (tensors, given)]
    exact, plain = (
        gradients(lambda *x: by_document(*x, *lengths, **options), *xs)
        for xs in (wide, (tensors, given))
    )
    turned = [x.transpose(0, 1)[None] for x in (*tensors, *given)]
    least = floors(*turned, options["scale"])
    assert_as_good(found, exact, plain, least, units=few, doubt=True)
