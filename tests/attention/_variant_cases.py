"""Random compositions of all options, and the plain formula that they stand for."""

import random

import torch

from tilewise.block_sparse import spans_mask, tiles_mask
from tilewise.masks import documents, prefix, union, window

from .._oracle import hidden_mask


def formula(q, k, v, slopes, sinks, bias, *, scale, causal, cap, seen, z):
    """(o, L) with S, P written out: τ q·k, softcap, ALiBi and bias, mask, sink."""
    group = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(group, 1) for x in (k, v))
    n_q, n_k = q.shape[2], k.shape[2]
    s = torch.einsum("bhid,bhjd->bhij", q, k)
    s = s * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s if cap is None else cap * torch.tanh(s / cap)
    rows, cols = torch.arange(n_q)[:, None] + n_k - n_q, torch.arange(n_k)
    if slopes is not None:
        s = s - slopes.reshape(-1, slopes.shape[-1], 1, 1) * (rows - cols).abs()
    s = s if bias is None else s + bias
    hidden = hidden_mask(n_q, n_k, causal) | ~seen
    s = s.masked_fill(hidden, -torch.inf)
    one_more = q.new_full((*s.shape[:-1], 1), -torch.inf)
    if sinks is not None:
        one_more = sinks[:, None, None].expand(one_more.shape)
    else:
        hidden = hidden.expand(s.shape)
    s = torch.cat([s, one_more], -1)
    p = s.softmax(-1)[..., :-1]
    p = p.masked_fill(hidden, 0)  # of a row without keys and sink, NaN
    return (p * z) @ v, s.logsumexp(-1)


def window_seen(n_q, n_k, left, right):
    """Brute force: True where key c is at most left before, or right after, its row."""
    far = torch.arange(n_k) - torch.arange(n_q)[:, None] - (n_k - n_q)
    return (far >= -(n_k + n_q if left is None else left)) & (
        far <= (n_k + n_q if right is None else right)
    )


def blocks_of(rng, n_q, n_k, lead):
    """A BlockMask, of tiles or of a union of intervals, and what it shows."""
    torch.manual_seed(rng.randint(0, 10**6))
    if rng.random() < 0.6:
        b_r, b_c = rng.randint(1, n_q + 1), rng.randint(1, n_k + 1)
        front = rng.choice([(), lead[1:], lead])
        tiles = torch.rand(*front, -(-n_q // b_r), -(-n_k // b_c)) < 0.5
        seen = tiles.repeat_interleave(b_r, -2).repeat_interleave(b_c, -1)
        mask = tiles_mask(tiles, b_r, b_c, n_q, n_k)
        return mask, seen[..., :n_q, :n_k]
    left, first, ends = rng.randint(0, 4), rng.randint(1, n_k), [n_q // 2, n_q]
    lengths = [b - a for a, b in zip([0, *ends], ends) if b > a]
    spans = union(window(n_q, n_k, left), prefix(first)), documents(lengths)
    at, rows = torch.arange(n_k), torch.arange(n_q)[:, None]
    seen = window_seen(n_q, n_k, left, 0) | (at < first)
    seen = seen & ((at < ends[0]) == (rows < ends[0])) & (at < ends[1])
    return spans_mask(n_q, n_k, *spans), seen


def some(rng, p, make):
    """What make() gives, with probability p, or None."""
    return make() if rng.random() < p else None


def options_of(rng, lead):
    """scale, window, softcap, dropout_p, causal; slopes and sinks of the heads."""

    def drawn(*shape):
        return torch.randn(shape, dtype=torch.float64)

    def limit():
        return rng.choice([None, 0, 1, 3, 7])

    how = {"scale": rng.choice([None, 0.4, -0.3])}
    how["window"] = some(rng, 0.5, lambda: (limit(), limit()))
    how["softcap"] = some(rng, 0.5, lambda: rng.choice([0.5, 1.0, 3.0]))
    how["dropout_p"] = rng.choice([0.0, 0.0, 0.4])
    slopes = some(rng, 0.5, lambda: drawn(*rng.choice([lead, lead[1:]])))
    sinks = some(rng, 0.5, lambda: drawn(lead[1]))
    free = how["window"] is None and slopes is None
    how["causal"] = rng.choice([False, True, "top-left" if free else True])
    return how, slopes, sinks


def composition(seed, most=16):
    """(q, k, v, do, dlse), options of `attend`, mask, arguments of `formula`, tiles."""
    rng = random.Random(seed)
    n_q, n_k, d, d_v = (rng.randint(1, most) for _ in range(4))
    batch, heads, group = (rng.randint(1, 2) for _ in range(3))
    lead, kv = (batch, heads * group), (batch, heads, n_k)
    torch.manual_seed(seed)
    shapes = (*lead, n_q, d), (*kv, d), (*kv, d_v), (*lead, n_q, d_v), (*lead, n_q)
    tensors = [torch.randn(x, dtype=torch.float64) for x in shapes]
    how, slopes, sinks = options_of(rng, lead)
    everything = None, torch.ones(n_q, n_k, dtype=torch.bool)
    blocks = some(rng, 0.4, lambda: blocks_of(rng, n_q, n_k, lead)) or everything
    how["block_mask"], seen = blocks
    if how["window"] is not None:
        seen = seen & window_seen(n_q, n_k, *how["window"])
    bias = torch.randn(n_q, n_k, dtype=torch.float64)
    mask = rng.choice([None, bias, torch.rand(1, n_k) < 0.7])
    if mask is not None and mask.dtype == torch.bool:
        seen = seen & mask
    plain = {"scale": how["scale"], "causal": how["causal"], "cap": how["softcap"]}
    sizes = rng.randint(1, n_q + 2), rng.randint(1, n_k + 2)
    return tensors, how, (slopes, sinks, mask), plain | {"seen": seen}, sizes
