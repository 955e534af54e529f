"""Random calls of flash_decode, and what they give: whole rows of scores in float64."""

import math
import random

import torch

NAN = float("nan")
LIMITS = (None, 0, 1, 7, 40)


def draw(i, dtype, device="cpu", most=90):
    """(q, k_cache, v_cache, seqlens, options) of call i; what is unused is NaN.

    Calls alternate between caches in one piece and pages in any order; every fifth one
    has a sequence without keys, and of some n_q is more than the length.
    """
    rng = random.Random(i)
    torch.manual_seed(i)
    batch, heads_k, group = rng.randint(1, 4), rng.randint(1, 3), rng.choice((1, 2, 5))
    n_q, d, d_v = rng.randint(1, 5), rng.choice((8, 16, 24)), rng.choice((8, 16, 40))
    lengths = [rng.randint(1, most) for _ in range(batch)]
    if i % 5 == 0:
        lengths[rng.randrange(batch)] = 0
    paged = i % 2 == 1
    page = rng.choice((1, 3, 16, 20)) if paged else max(lengths) + rng.randint(1, 20)
    rows = [math.ceil(n / page) for n in lengths]
    pages = max(1, *rows) + rng.randint(0, 2) if paged else 1
    k, v, table = filled(rng, lengths, page, pages, paged, (heads_k, d, d_v))
    q = torch.randn(batch, n_q, heads_k * group, d).transpose(1, 2)  # strided
    seqlens = torch.tensor(lengths, dtype=table.dtype, device=device)
    options = drawn_options(rng, heads_k * group, device)
    if paged:
        options["block_table"] = table.to(device)
    return *(x.to(device, dtype) for x in (q, k, v)), seqlens, options


def filled(rng, lengths, page, pages, paged, sizes):
    """(k, v, block table) in random pages, or in one piece for each sequence."""
    heads_k, d, d_v = sizes
    batch, rows = len(lengths), [math.ceil(n / page) for n in lengths]
    count = sum(rows) + 3 if paged else batch
    k = torch.full((count, heads_k, page, d), NAN)
    v = torch.full((count, heads_k, page, d_v), NAN)
    free = rng.sample(range(count), count)
    table = torch.full((batch, pages), -1, dtype=rng.choice((torch.int32, torch.int64)))
    for b, n in enumerate(lengths):
        for j in range(rows[b]):
            at = table[b, j] = free.pop() if paged else b
            used = min(page, n - j * page)
            k[at, :, :used] = torch.randn(heads_k, used, d)
            v[at, :, :used] = torch.randn(heads_k, used, d_v)
    return k, v, table


def drawn_options(rng, heads, device):
    """Scale, splits, softcap, window and sinks, each of them there or not."""
    options = {"scale": rng.choice((None, 0.7, -0.3))}
    options |= {"splits": rng.choice((None, 1, 2, 3, 5, 200))}
    options |= {"softcap": rng.choice((None, None, 1.5))}
    left, right = rng.choice(LIMITS), rng.choice((0, None))
    options |= {"window": rng.choice((None, (left, right)))}
    if rng.random() < 0.4:
        options["sinks"] = torch.randn(heads, device=device)
    return options


def exact(q, k, v, seqlens, options, dtype=torch.float64):
    """(o, L) by the formula, computed in dtype, token by token, head by head."""
    batch, heads, n_q, _ = q.shape
    o = q.new_zeros(batch, heads, n_q, v.shape[-1], dtype=dtype)
    lse = q.new_full(q.shape[:3], -math.inf, dtype=dtype)
    table, page = options.get("block_table"), k.shape[2]
    for b, n in enumerate(seqlens.tolist()):
        place = [(b, j) if table is None else (table[b, j // page], j % page)
                 for j in range(n)]  # fmt: skip
        for h in range(heads):
            group = h // (heads // k.shape[1])
            keys, values = ([x[at, group, row] for at, row in place] for x in (k, v))
            for i in range(n_q):
                left = (options.get("window") or (None, 0))[0]
                end = n - n_q + i + 1
                begin = 0 if left is None else max(0, end - 1 - left)
                seen = range(begin, max(begin, end))
                sink = options["sinks"][h] if "sinks" in options else None
                row = one(q[b, h, i], [keys[j] for j in seen], sink, options, dtype)
                lse[b, h, i] = row.logsumexp(-1) if len(row) else -math.inf
                if len(seen):
                    p = row.softmax(-1)[: len(seen)]
                    o[b, h, i] = p @ torch.stack([values[j] for j in seen]).to(dtype)
    return o, lse


def one(q, keys, sink, options, dtype):
    """The scores of one token, (keys,) or with a sink (keys + 1,)."""
    scale = options["scale"]
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    s = q.new_empty(0, dtype=dtype)
    if keys:
        s = scale * (torch.stack(keys).to(dtype) @ q.to(dtype))
    if options["softcap"] is not None:
        s = options["softcap"] * torch.tanh(s / options["softcap"])
    return s if sink is None else torch.cat([s, sink.to(dtype)[None]])
