"""What is right: attention and its gradients in float64, in slabs of rows.

A few heads of the very inputs that are timed stand for all: S of a slab has ROWS × N_k
numbers a head, so N = 16k fits. The same in the inputs' own dtype is plain PyTorch,
whose error is the measure of what 16 bits can do.
"""

import torch

from tilewise.standard import standard_backward, standard_forward

ROWS = 1024  # of a slab


def some_heads(x):
    """(key heads, query heads) to check: the first and the last with their groups."""
    batch, heads, heads_k = x["q"].shape[0], x["q"].shape[1], x["k"].shape[1]
    group = heads // heads_k
    pairs = sorted({(0, 0), (batch - 1, heads_k - 1)})
    keys = [(b, slice(h, h + 1)) for b, h in pairs]
    return keys, [(b, slice(h * group, (h + 1) * group)) for b, h in pairs]


def pick(tensor, heads):
    """The chosen heads of (batch, heads, N, d), stacked: (how many, heads, N, d)."""
    return torch.stack([tensor[b, h] for b, h in heads])


def exact(x, causal, dtype=torch.float64):
    """{"o", "dq", "dk", "dv"} of the chosen heads, computed in dtype.

    x has q, k, v, do; sums over slabs are kept in float32 at least. causal aligns
    bottom-right, as everywhere.
    """
    keys, queries = some_heads(x)
    q, do = (pick(x[name], queries).to(dtype) for name in ("q", "do"))
    k, v = (pick(x[name], keys).to(dtype) for name in "kv")  # one head for a group
    n_q, n_k = q.shape[2], k.shape[2]
    o, dq = torch.zeros_like(q), torch.zeros_like(q)
    wide = torch.promote_types(dtype, torch.float32)
    dk, dv = (torch.zeros_like(k, dtype=wide) for _ in "kv")
    for start in range(0, n_q, ROWS):
        rows = slice(start, min(start + ROWS, n_q))
        end = (
            max(0, rows.stop + n_k - n_q) if causal else n_k
        )  # keys that some row sees
        if end == 0:
            continue
        part = q[:, :, rows], k[:, :, :end], v[:, :, :end]
        o[:, :, rows], p = standard_forward(*part, causal=causal)
        grads = standard_backward(*part, p, do[:, :, rows])
        dq[:, :, rows] = grads[0]
        dk[:, :, :end] += grads[1].to(wide).sum(1, keepdim=True)
        dv[:, :, :end] += grads[2].to(wide).sum(1, keepdim=True)
    return {"o": o, "dq": dq, "dk": dk, "dv": dv}


def error(result, want):
    """‖result − want‖ / ‖want‖ in float64; inf where a number is not finite."""
    if not torch.isfinite(result).all():
        return torch.inf
    return ((result.double() - want).norm() / want.double().norm()).item()


def errors(x, results, truth):
    """{name: error} of results {name: whole tensor} on the chosen heads."""
    keys, queries = some_heads(x)
    heads = {"o": queries, "dq": queries, "dk": keys, "dv": keys}
    return {n: error(pick(t, heads[n]), truth[n]) for n, t in results.items()}


def apart(results, other):
    """{name: ‖result − other‖ / ‖other‖} over all heads, inf where not finite."""
    gaps = {}
    for name, tensor in results.items():
        above = sum(
            (a.float() - b.float()).norm() ** 2 for a, b in zip(tensor, other[name])
        )
        below = sum(b.float().norm() ** 2 for b in other[name])
        gap = (above / below).sqrt().item()
        gaps[name] = gap if gap == gap and gap < torch.inf else torch.inf
    return gaps
