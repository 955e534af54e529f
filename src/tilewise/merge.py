"""Split-KV decoding: attend to each part of the keys alone, then merge the (o, L).

A single block of queries cannot be spread over a GPU's processors, but a long cache of
keys can. The rule is that of `tilewise.softmax.merge` with state (m, ℓ, o) = (L, 1, o).
Source: Flash-Decoding (T. Dao, D. Haziza, F. Massa, G. Sizov, 2023).
"""

import torch
from torch import Tensor

from tilewise.checks import check_sizes
from tilewise.fits import Causal
from tilewise.flash1 import weight
from tilewise.flash2 import flash2_forward
from tilewise.tiled import TileRule, prepare


def merge(o: Tensor, lse: Tensor) -> tuple[Tensor, Tensor]:
    """One (o, lse) from those of disjoint sets of keys, stacked along the first axis.

    L = log Σ_s e^{L_s},  o = Σ_s e^{L_s − L} o_s   (natural logarithms)
    o (splits, ..., N_q, d_v), lse (splits, ..., N_q) → the same without splits, o in
    the wider of both dtypes. A row that saw no key in any split has o = 0, lse = −∞.
    The order of the splits changes nothing but rounding.
    Raises ValueError where the two shapes do not fit.
    """
    if o.ndim < 2 or o.shape[:-1] != lse.shape or not len(o):
        shapes = f"o {tuple(o.shape)}, lse {tuple(lse.shape)}"
        raise ValueError(f"o must be (splits, ..., d_v), lse (splits, ...): {shapes}")
    m = lse.amax(0)  # (..., N_q)
    share = weight(lse, m)[..., None]  # (splits, ..., N_q, 1)
    l = share.sum(0)  # ≥ 1, or 0 where no split saw a key; e^{L_s − L} would carry
    o = (share * o).sum(0) / l.clamp(min=1)  # the rounding of a large L into o
    return o, m + l[..., 0].log()


# --8<-- [start:merge_into]
def merge_into(o: Tensor, lse: Tensor, o_part: Tensor, lse_part: Tensor) -> None:
    """Merge in place: (o, lse) takes in the part that was computed for other keys.

    w = 1 / (1 + e^{L − L′}),  L ← log(e^L + e^{L′}),  o ← o + w (o′ − o)
    o (..., N_q, d_v), lse (..., N_q), both in fp32 or wider; o_part and lse_part have
    these shapes, and o_part may have fewer bits. Each row of o has seen a key, so that
    its L is finite.
    """
    ahead = lse_part - lse
    w = torch.sigmoid(ahead)[..., None]  # w + (1 − w) is 1, however L is rounded
    o.lerp_(o_part.to(o.dtype), w)
    torch.logaddexp(lse, lse_part, out=lse)
    # --8<-- [end:merge_into]


def split_forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    splits: int,
    block_rows: int,
    block_cols: int,
    *,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    dropout: TileRule | None = None,
) -> tuple[Tensor, Tensor]:
    """flash2_forward for each of `splits` parts of the keys, and the results merged.

    Shapes, options and results are as in flash2_forward. The keys of a part keep
    their global indices, so causal, mask and dropout mean the same as without parts.
    Raises ValueError where splits is not a whole number of at least 1.
    """
    check_sizes(splits=splits)
    scale, wide, _, mask, _, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, None, dropout
    )
    parts = []
    for keys in torch.arange(k.shape[-2], device=k.device).tensor_split(splits):
        if len(keys):  # with more splits than keys, some have none
            part = q.to(wide), k[..., keys, :].to(wide), v[..., keys, :].to(wide)
            hide, drop = (shifted(rule, keys[0]) for rule in (mask, dropout))
            parts.append(
                flash2_forward(
                    *part, block_rows, block_cols, scale=scale, mask=hide, dropout=drop
                )
            )
    o, lse = merge(*(torch.stack(x) for x in zip(*parts)))  # partial o in fp32 too
    return o.to(q.dtype), lse


def shifted(rule: TileRule, first: Tensor) -> TileRule:
    """The rule for a part of the keys whose key 0 is key `first` of the whole."""
    return lambda rows, cols: rule(rows, cols + first)
