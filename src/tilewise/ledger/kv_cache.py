"""What a KV cache holds, and how much a new token computes with it, counted exactly.

Grouped heads are kv_heads < heads, and one KV head for all is multi-query attention.
Latent attention (MLA) in its absorbed form is the latter too, with V within K: V is the
first d_v columns of K, and stored once.
Source: DeepSeek-V2, arXiv 2405.04434, section 2.1.
"""

from tilewise.checks import check_sizes
from tilewise.ledger.sizes import in_bytes


def cached(kv_heads: int, d: int, d_v: int, *, within: bool = False) -> int:
    """The numbers that a token leaves in the cache of one layer: h_kv (d + d_v).

    within says that V is a part of K, so that only d columns are stored. Raises
    ValueError if a size is not a whole number of at least 1, or if d_v > d within K.
    """
    check_sizes(kv_heads=kv_heads, d=d, d_v=d_v)
    if within and d_v > d:
        raise ValueError(f"d_v must be at most d within K, {d}, not {d_v}")
    return kv_heads * (d if within else d + d_v)


def flops_per_key(heads: int, d: int, d_v: int) -> int:
    """What one query token computes with one key, in all heads: 2 h (d + d_v).

    Raises ValueError if a size is not a whole number of at least 1.
    """
    check_sizes(heads=heads, d=d, d_v=d_v)
    return 2 * heads * (d + d_v)


def intensity(
    heads: int,
    kv_heads: int,
    d: int,
    d_v: int,
    *,
    within: bool = False,
    dtype: str = "bf16",
) -> float:
    """FLOPs for each byte of the cache, if one new token reads every byte once.

    Raises ValueError if a size is not a whole number of at least 1, if kv_heads does
    not divide heads, or for an unknown dtype.
    """
    stored = in_bytes(cached(kv_heads, d, d_v, within=within), dtype)
    work = flops_per_key(heads, d, d_v)
    if heads % kv_heads:
        raise ValueError(f"kv_heads must divide heads, {heads}; {kv_heads} does not")
    return work / stored
