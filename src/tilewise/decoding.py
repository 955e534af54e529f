"""Attention of new tokens to a cache, by parts of its keys: plain PyTorch, any device.

Each sequence has its own length. Its keys lie in one piece or in pages, which a block
table names in order. The query heads that share a head of K and V are the rows of one
block, the parts are merged by `tilewise.merge`, and a sink is one part more, whose
o is 0 and whose L is the sink.
"""

# --8<-- [start:imports]
from typing import Any

import torch
from torch import Tensor

from tilewise.flash2 import flash2_forward
from tilewise.merge import merge
from tilewise.tiled import AS_IS, ScoreRule, TileRule
from tilewise.trace.split_kv import first_key, parts

# --8<-- [end:imports]


# --8<-- [start:cached]
def cached(cache: Tensor, b: int, first: int, end: int, table: Tensor | None) -> Tensor:
    """Rows first .. end − 1 of sequence b, (heads_k, end − first, d).

    cache is (batch, heads_k, max_len, d), or with a table (batch, max_pages) pages,
    (pages, heads_k, page_size, d): row j is row j mod page_size of page
    table[b, ⌊j / page_size⌋]. No other row is read; any dtype.
    """
    if table is None:
        return cache[b, :, first:end]
    at = torch.arange(first, end, device=cache.device)
    pages = table[b, at // cache.shape[2]].long()
    return cache[pages, :, at % cache.shape[2]].transpose(0, 1)
    # --8<-- [end:cached]


# --8<-- [start:decode_forward]
@torch.no_grad()
def decode_forward(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    seqlens: Tensor,
    splits: int,
    block_cols: int,
    *,
    block_table: Tensor | None = None,
    scale: float | None = None,
    left: int | None = None,
    rule: ScoreRule = AS_IS,
    sinks: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """o and L of n_q new tokens for each sequence, whose keys are in the cache already.

    q (batch, heads, n_q, d), seqlens (batch,) → o (batch, heads, n_q, d_v) in q's dtype
    and L (batch, heads, n_q), fp32 or wider. Token i of sequence b sees the keys up to
    seqlens[b] − n_q + i, no more than `left` before that, in at most `splits` parts.
    k_cache, v_cache and block_table are as in `cached`, rule and sinks (heads,) as in
    `tilewise.flash2`. No key seen: o = 0 and L = −∞, or with sinks the sink.
    """
    batch, heads, n_q, d = q.shape
    heads_k, d_v = v_cache.shape[1], v_cache.shape[-1]
    wide = torch.promote_types(q.dtype, torch.float32)
    packed = q.reshape(batch, heads_k, -1, d).to(wide)  # (batch, heads_k, g n_q, d)
    nothing = torch.full((heads,), -torch.inf, device=q.device)
    start = nothing if sinks is None else sinks  # L of what is there before any key
    start = start.to(wide).repeat_interleave(n_q).view(heads_k, -1)  # (heads_k, g n_q)
    o, lse = packed.new_empty(*packed.shape[:-1], d_v), packed[..., 0].clone()
    for b, n in enumerate(seqlens.tolist()):
        found = [(torch.zeros_like(o[b]), start)]
        for first, end in parts(first_key(n, n_q, left), n, block_cols, splits):
            at = b, first, end, block_table
            k, v = (cached(x, *at).to(wide) for x in (k_cache, v_cache))
            sizes, mask = (packed.shape[2], block_cols), token_mask(n, n_q, left, first)
            how: dict[str, Any] = {"scale": scale, "mask": mask, "rule": rule}
            found.append(flash2_forward(packed[b], k, v, *sizes, **how))
        o[b], lse[b] = merge(*(torch.stack(x) for x in zip(*found)))
    return o.view(batch, heads, n_q, d_v).to(q.dtype), lse.view(batch, heads, n_q)
    # --8<-- [end:decode_forward]


# --8<-- [start:token_mask]
def token_mask(n: int, n_q: int, left: int | None, first: int) -> TileRule:
    """mask(rows, cols) of packed rows: row r is token i = r mod n_q, at n − n_q + i.

    cols are counted from key `first` of the sequence's n; left is as above.
    """

    def mask(rows: Tensor, cols: Tensor) -> Tensor:
        back = (n - n_q + rows % n_q) - (cols + first)  # how many keys ago, (B_r, B_c)
        return (back >= 0) & (back <= (n if left is None else left))

    return mask
    # --8<-- [end:token_mask]
