"""Every option over packed documents, each computed by the formula alone."""

import math
import random

import pytest
import torch
from torch.testing import assert_close

from tilewise import flash_attention_varlen
from tilewise.block_sparse import tiles_mask
from tilewise.dropout import keep_factors

from ..attention._attention_cases import whole
from ..attention._variant_cases import formula, window_seen
from ._varlen import bounds, ends

SEED = 5  # of dropout


def drawn(seed):
    """(q, k, v, slopes, sinks), do, dlse, both lengths, options, what blocks show."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    lengths = [[rng.randint(0, 9) for _ in range(3)] + [1] for _ in range(2)]
    n_q, n_k = map(sum, lengths)
    kv, group = rng.randint(1, 2), rng.randint(1, 2)
    heads, d, d_v = kv * group, rng.randint(1, 6), rng.randint(1, 6)
    shapes = (n_q, heads, d), (n_k, kv, d), (n_k, kv, d_v), (n_q, heads, d_v)
    q, k, v, do = (torch.randn(x, dtype=torch.float64) for x in shapes)
    dlse = torch.randn(n_q, heads, dtype=torch.float64)
    slopes = torch.randn(rng.choice([(heads,), (4, heads)]), dtype=torch.float64)
    sinks = torch.randn(heads, dtype=torch.float64)
    learned = [x if rng.random() < 0.6 else None for x in (slopes, sinks)]
    tiles = torch.rand(*rng.choice([(), (heads,)]), -(-n_q // 3), -(-n_k // 4)) < 0.5
    seen = tiles.repeat_interleave(3, -2).repeat_interleave(4, -1)[..., :n_q, :n_k]
    how = {"causal": rng.random() < 0.5, "scale": rng.choice([None, -0.4])}
    how["window"] = rng.choice([None, (2, None), (None, 1), (3, 2)])
    how["softcap"] = rng.choice([None, 0.7])
    how["dropout_p"] = rng.choice([0.0, 0.3])
    how["block_mask"] = rng.choice([None, tiles_mask(tiles, 3, 4, n_q, n_k)])
    return (q, k, v, *learned), do, dlse, lengths, how, seen


def by_document(q, k, v, slopes, sinks, lengths, how, seen):
    """(o, L), document by document; a row without keys has the sink alone."""
    o, lse = [], []
    seen = seen if how["block_mask"] else torch.ones_like(seen)
    for b, (rows, keys) in enumerate(zip(*map(bounds, lengths), strict=True)):
        n_q, n_k = rows.stop - rows.start, keys.stop - keys.start
        own = slopes if slopes is None or slopes.ndim == 1 else slopes[b]
        visible = seen[..., rows, keys]
        if how["window"]:
            visible = visible & window_seen(n_q, n_k, *how["window"])
        z = keep_factors(how["dropout_p"], SEED, b + 1, q.shape[1])
        plain = {"scale": how["scale"], "causal": how["causal"], "cap": how["softcap"]}
        parts = (x.transpose(0, 1)[None] for x in (q[rows], k[keys], v[keys]))
        z = whole(z, n_q, n_k)[b]
        o_b, lse_b = formula(*parts, own, sinks, None, **plain, seen=visible, z=z)
        o.append(o_b[0].transpose(0, 1))
        lse.append(lse_b[0].T)
    return torch.cat(o), torch.cat(lse)


@pytest.mark.few(1)
@pytest.mark.parametrize("start", range(0, 300, 50))
def test_packed_documents_equal_the_formula(start, monkeypatch):
    monkeypatch.setattr(torch, "randint", lambda *_, **__: torch.tensor(SEED))
    for seed in range(start, start + 50):
        inputs, do, dlse, lengths, how, seen = drawn(seed)
        results = []
        for ours in (False, True):
            leaves = [x if x is None else x.clone().requires_grad_() for x in inputs]
            q, k, v, slopes, sinks = leaves
            if ours:
                learned = {"alibi_slopes": slopes, "sinks": sinks, "return_lse": True}
                places = map(ends, lengths)
                o, lse = flash_attention_varlen(q, k, v, *places, **learned, **how)
            else:
                o, lse = by_document(*leaves, lengths, how, seen)
            loss = (o * do).sum() + (lse.masked_fill(lse == -math.inf, 0) * dlse).sum()
            grads = torch.autograd.grad(loss, [x for x in leaves if x is not None])
            results.append((o.detach(), lse.detach(), *grads))
        exact, ours = results
        said = {"msg": lambda m, s=seed: f"case {s}: {m}"}
        assert_close(ours, exact, rtol=0, atol=1e-10, **said)
